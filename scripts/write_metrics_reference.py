"""Writes docs/reference/metrics.md from the metrics themselves; with --check only says whether it is up to date."""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from lamplighter.metrics import DECLARED, REGISTRY

FILE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "metrics.md"
OPENING = """\
# Metrics

Written by `scripts/write_metrics_reference.py` from `src/lamplighter/metrics.py`; `make docs` writes it anew. How they
are had and read is told in [metrics](../metrics.md).

A counter begins at 0 with its process; a histogram has `_bucket`, `_sum` and `_count`. A gauge is shown by the
processes that know it, and only while it is fresh.

| Metric | Type | Labels | Meaning |
|---|---|---|---|
"""
PROCESS = """
Of the process itself, as the system counts it:

| Metric | Type | Meaning |
|---|---|---|
"""


def main() -> int:
    """Writes the file; with --check 1 when it would change."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail when the file is out of date")
    text = OPENING + "".join(f"{row}\n" for row in rows()) + PROCESS + "".join(f"{row}\n" for row in process_rows())
    if not parser.parse_args().check:
        FILE.parent.mkdir(exist_ok=True)
        FILE.write_text(text, encoding="utf-8")
        return 0
    if FILE.exists() and FILE.read_text(encoding="utf-8") == text:
        return 0
    print("docs/reference/metrics.md does not say what the metrics say; `make docs` writes it anew.", file=sys.stderr)
    return 1


def rows() -> Iterator[str]:
    """One line of the table for every metric of ours, in the order of the code."""
    for metric in DECLARED:
        labels = ", ".join(f"`{label}`" for label in metric.labels) or "-"
        buckets = f" Buckets: {', '.join(f'{bound:g}' for bound in metric.buckets)}." if metric.buckets else ""
        yield f"| `{metric.name}` | {metric.kind} | {labels} | {metric.sentence}{buckets} |"


def process_rows() -> Iterator[str]:
    """One line for every metric that is not ours."""
    ours = {metric.name for metric in DECLARED}
    for family in REGISTRY.collect():
        name = f"{family.name}_total" if family.type == "counter" else family.name
        if name not in ours:
            yield f"| `{name}` | {family.type} | {family.documentation} |"


if __name__ == "__main__":
    sys.exit(main())
