"""What does the service take up at a moment, does any of it grow, and what is the verdict?"""

import os
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, fields
from itertools import combinations
from pathlib import Path
from statistics import median
from typing import Any, Final

MB: Final = 1_000_000
_PAGE_BYTES: Final = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One look at the service."""

    #: minutes or hours since the beginning
    at: float
    #: resident memory of the service's process, of the processes that read pages, in MB (10^6 bytes)
    rss_mb: float
    readers_rss_mb: float
    open_files: int
    threads: int
    #: open sockets of the service's process, listening ones included
    connections: int
    database_mb: float
    #: SQLite's write-ahead log
    wal_mb: float
    archive_mb: float
    #: what of the archive is a version of some page
    needed_mb: float
    #: lines of the log so far
    errors: int
    warnings: int
    #: answered by the sites so far, and CPU seconds of the service and its readers so far
    requests: int
    cpu_seconds: float

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> "Sample":
        """As it was written."""
        return cls(**{field.name: values[field.name] for field in fields(cls)})


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A claim about the soak, what was measured for it, and whether it holds."""

    claim: str
    measured: str
    bar: str
    holds: bool


def process_sizes(pid: int) -> dict[str, Any]:
    """Resident MB, open files, threads and sockets of a process."""
    status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines() if ":" in line)
    links = [_target(entry) for entry in Path(f"/proc/{pid}/fd").iterdir()]
    return {
        "rss_mb": resident_mb(pid),
        "open_files": len(links),
        "threads": int(status["Threads"]),
        "connections": sum(link.startswith("socket:") for link in links),
    }


def resident_mb(pid: int) -> float:
    """Resident memory; 0 when the process has ended."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE_BYTES / MB
    except (FileNotFoundError, ProcessLookupError):
        return 0.0


def folder_sizes(data: Path) -> dict[str, Any]:
    """MB of the database, of its write-ahead log and of the archive in a data folder."""
    database = wal = archive = 0
    for file in data.rglob("*"):
        try:
            size = file.stat().st_size if file.is_file() else 0
        except FileNotFoundError:
            continue
        if file.name.endswith("-wal"):
            wal += size
        elif file.suffix == ".db":
            database += size
        elif "archive" in file.relative_to(data).parts:
            archive += size
    return {"database_mb": database / MB, "wal_mb": wal / MB, "archive_mb": archive / MB}


def needed_mb(data: Path) -> float:
    """MB of the archive in a data folder that some version of a page needs, as they are stored."""
    with closing(sqlite3.connect(f"file:{data / 'lamplighter.db'}?mode=ro", uri=True)) as db:
        return float(db.execute("SELECT coalesce(sum(stored_bytes), 0) FROM bodies").fetchone()[0]) / MB


def staleness(data: Path) -> dict[str, float | None]:
    """The share of the time in which sources had changed unseen: as promised, and as measured, when last noted."""
    newest = """SELECT expected_staleness, measured_staleness FROM samples
      WHERE expected_staleness IS NOT NULL ORDER BY measured_staleness IS NULL, step DESC LIMIT 1"""
    with closing(sqlite3.connect(f"file:{data / 'lamplighter.db'}?mode=ro", uri=True)) as db:
        promised, measured = db.execute(newest).fetchone() or (None, None)
    return {"promised": promised, "measured": measured}


def _target(entry: Path) -> str:
    try:
        return os.readlink(entry)
    except OSError:  # closed while we looked
        return ""


def slope(points: Iterable[tuple[float, float]]) -> float:
    """Growth per unit of time: the middle of the slopes between any two moments, which one odd moment cannot move."""
    slopes = [(b - a) / (later - earlier) for (earlier, a), (later, b) in combinations(points, 2) if later > earlier]
    return median(slopes) if slopes else 0.0


def drift(samples: Sequence[Sample], name: str) -> float:
    """By how much a figure grew from the first to the last of the samples, by their slope."""
    points = [(sample.at, float(getattr(sample, name))) for sample in samples]
    return slope(points) * (points[-1][0] - points[0][0]) if len(points) > 1 else 0.0


def archive_is_used(samples: Sequence[Sample], *, usually: float, always: float) -> Verdict:
    """Whether the archive took no more than so many times the room of what is needed, in the middle and ever."""
    times = [sample.archive_mb / sample.needed_mb for sample in samples]
    middle, most = median(times), max(times)
    return Verdict(
        claim="archive on the disk",
        measured=f"{middle:.3g} times what it keeps, once {most:.3g} times",
        bar=f"≤ {usually:g} times in the middle, ≤ {always:g} ever",
        holds=middle <= usually and most <= always,
    )


def stays_flat(samples: Sequence[Sample], name: str, *, claim: str, unit: str, within: float) -> Verdict:
    """Whether a figure drifted by no more than `within` of its unit while the samples were taken."""
    grown = drift(samples, name)
    middle = median(getattr(sample, name) for sample in samples)
    return Verdict(
        claim=claim,
        measured=f"{middle:.4g} {unit}, drift {grown:+.2g}".replace(" ,", ","),
        bar=f"drift ≤ {within:.3g} {unit}".rstrip(),
        holds=grown <= within,
    )
