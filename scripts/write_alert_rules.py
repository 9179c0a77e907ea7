"""Writes deploy/prometheus/alerts.yml from the rules; with --check only says whether the file is up to date."""

import argparse
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

from lamplighter.rules.alerts.alerts import RULES, AlertRule

FILE = Path(__file__).resolve().parents[1] / "deploy" / "prometheus" / "alerts.yml"
OPENING = """\
# Written by scripts/write_alert_rules.py from src/lamplighter/rules/alerts/alerts.py; `make docs` writes it anew.
# The service judges the same rules by itself: see docs/alerts.md. Needs Prometheus 2.42 or later.
groups:
  - name: lamplighter
    rules:
"""


def main() -> int:
    """Writes the file; with --check 1 when it would change."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail when the file is out of date")
    text = OPENING + "".join(f"{line}\n" if line else "\n" for rule in RULES for line in lines_of(rule))
    if not parser.parse_args().check:
        FILE.write_text(text, encoding="utf-8")
        return 0
    if FILE.exists() and FILE.read_text(encoding="utf-8") == text:
        return 0
    print("deploy/prometheus/alerts.yml does not say what the rules say; `make docs` writes it anew.", file=sys.stderr)
    return 1


def lines_of(rule: AlertRule) -> Iterator[str]:
    """A rule as Prometheus reads it."""
    yield f"      - alert: {rule.name}"
    yield f"        expr: {_quoted(rule.promql)}"
    if rule.hold:
        yield f"        for: {_minutes(rule.hold)}"
    yield f"        keep_firing_for: {_minutes(rule.quiet)}"
    yield "        labels:"
    yield f"          severity: {rule.severity}"
    yield "        annotations:"
    yield f"          summary: {_quoted(rule.title)}"
    yield f"          description: {_quoted(f'{rule.condition[0].upper()}{rule.condition[1:]}. {rule.matters}')}"
    yield f"          remedy: {_quoted(rule.remedy)}"


def _minutes(span: timedelta) -> str:
    return f"{span // timedelta(minutes=1)}m"


def _quoted(text: str) -> str:
    """In single quotes, in which only a single quote means anything."""
    return "'" + text.replace("'", "''") + "'"


if __name__ == "__main__":
    sys.exit(main())
