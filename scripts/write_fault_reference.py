"""Writes docs/reference/faults.md from the fault matrix and its tests; with --check only says if it is up to date."""

import argparse
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# The tests are no installed package.
sys.path.insert(0, str(ROOT))

from tests.faults.matrix import PARTS, Part, Row  # noqa: E402
from tests.faults.matrix_tests import Named, named_tests  # noqa: E402

FILE = ROOT / "docs" / "reference" / "faults.md"
OPENING = """\
# Faults

Written by `scripts/write_fault_reference.py` from `tests/faults/matrix.py` and the tests; `make docs` writes it anew.

What may go wrong, what is promised then, and the test that shows it. A row's telling test stands in `tests/faults` and
judges from outside: by the access log of a hostile origin and by what an operator can see. How many other tests are
named after the row stands behind it.
"""
HEAD = """
| Row | Case | Promise | Test | Others |
|---|---|---|---|---|
"""


def main() -> int:
    """Writes the file; with --check 1 when it would change."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail when the file is out of date")
    text = page(named_tests())
    if not parser.parse_args().check:
        FILE.parent.mkdir(exist_ok=True)
        FILE.write_text(text, encoding="utf-8")
        return 0
    if FILE.exists() and FILE.read_text(encoding="utf-8") == text:
        return 0
    print("docs/reference/faults.md does not say what the tests say; `make docs` writes it anew.", file=sys.stderr)
    return 1


def page(named: Mapping[str, Named]) -> str:
    """The whole page."""
    shown = sum(not row.not_testable for part in PARTS for row in part.rows)
    total = sum(len(part.rows) for part in PARTS)
    counted = f"\n{total} rows: {shown} are shown by a test, {total - shown} cannot be shown here and say why.\n"
    return OPENING + counted + "".join("".join(section(part, named)) for part in PARTS)


def section(part: Part, named: Mapping[str, Named]) -> Iterator[str]:
    """The heading and the table of one letter."""
    yield f"\n## {part.letter}. {part.title}\n{HEAD}"
    for row in part.rows:
        tests = named.get(row.id, Named())
        cells = (row.id, row.case, row.expected, told_by(row, tests), str(len(tests.others)))
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n"


def told_by(row: Row, tests: Named) -> str:
    """The telling test with a link to its file, or why there is none."""
    if row.not_testable:
        return f"not testable here: {row.not_testable}"
    return "<br>".join(f"[`{test.name}`](../../{test.path})" for test in tests.telling) or "missing"


if __name__ == "__main__":
    sys.exit(main())
