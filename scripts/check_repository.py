"""What must not be in the repository? Prints each finding with its place; any finding fails.

- Addresses of package registries: whoever installs chooses the index, and hashes vouch for what it serves.
- Paths of one person's machine.
- Notes to oneself, leftovers of a merge, secrets, and remarks on how the text came about.
- What breaks the floor plan: see `repository_structure.py`.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import repository_structure

ROOT = Path(__file__).resolve().parent.parent

FORBIDDEN = {
    "registry address": r"pypi\.org|pythonhosted\.org|npmjs\.(?:org|com)|crates\.io/api|(?:index|find-links)[-_]url\s*=\s*\S*://",
    "machine path": r"(?<![\w.:/}*-])/(?:root|work|workspace|home/\w+|Users/\w+|tmp/\w+)(?=/)",
    "note to oneself": r"\b(?:TODO|FIXME|XXX|HACK)\b",
    "merge leftover": r"^(?:<{7}|={7}|>{7})(?: |$)",
    "secret": r"-----BEGIN (?:\w+ )?PRIVATE KEY|\bAKIA[0-9A-Z]{16}\b|\bgh[pousr]_\w{36}\b",
    "remark on the making": r"(?i)\b(?:co-authored-by|language model|coding assistant|ai[- ]generated|system prompt)\b",
}
PATTERNS = {name: re.compile(pattern, re.MULTILINE) for name, pattern in FORBIDDEN.items()}


def files() -> list[Path]:
    """Everything that is tracked, or would be by the next `git add`."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    paths = (ROOT / name for name in listed.stdout.split("\0") if name)
    return [path for path in paths if path.is_file() and path != Path(__file__).resolve()]


def findings(text: str) -> Iterator[tuple[int, str, str]]:
    """(line number, what it is, the words) for everything forbidden in a text."""
    for name, pattern in PATTERNS.items():
        for match in pattern.finditer(text):
            yield text.count("\n", 0, match.start()) + 1, name, match[0]


def main() -> int:
    """The number of findings, at most 1: an exit code."""
    found = 0
    for path in files():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        for line, name, words in findings(text):
            print(f"{path.relative_to(ROOT)}:{line}: {name}: {words}")
            found = 1
    for finding in repository_structure.findings():
        print(finding)
        found = 1
    return found


if __name__ == "__main__":
    sys.exit(main())
