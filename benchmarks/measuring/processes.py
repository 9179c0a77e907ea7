"""What have running processes cost so far?"""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

_TICKS: Final = os.sysconf("SC_CLK_TCK")


def tree(pid: int) -> Iterator[int]:
    """A process and all its living descendants; those that end while we look are left out."""
    yield pid
    with suppress(FileNotFoundError, ProcessLookupError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            for child in (thread / "children").read_text().split():
                yield from tree(int(child))


def cpu_seconds(pid: int) -> float:
    """User and system time of a process and of those descendants that it has waited for; 0 when it has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return sum(map(int, fields[11:15])) / _TICKS
