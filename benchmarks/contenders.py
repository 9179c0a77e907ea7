"""Who is compared, and what does each of them do?"""

import json
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Final

from benchmarks.measuring.measure import Measurement
from benchmarks.peers.contract import Tally


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """One crawler: a module run with `--base URL [URL ...]`, which prints a Tally as its last line."""

    name: str
    module: str
    does: str


OURS: Final = Contender(
    name="lamplighter", module="benchmarks.ours", does="robots, retries, pages and records durable in SQLite"
)
PEERS: Final = tuple(
    Contender(name=name, module=f"benchmarks.peers.{name}", does=does)
    for name, does in (
        ("scrapy_default", "robots, retries; as it comes; nothing kept"),
        ("scrapy_tuned", "robots, retries; uvloop, own dedupe; nothing kept"),
        ("crawlee_parsel", "robots, retries, sessions; queue in memory; nothing kept"),
        ("bare_loop", "no robots, no retries; aiohttp + lexbor; nothing kept"),
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What one contender did, and what that cost."""

    contender: Contender
    measurement: Measurement
    #: None when it did not say.
    tally: Tally | None
    #: Requests the site answered meanwhile, by its own count.
    requests: int
    #: Pages the site has.
    expected: int

    @property
    def complaint(self) -> str | None:
        """Why the figures must not be believed; None when they may."""
        if self.measurement.exit_code:
            return f"ended with {self.measurement.exit_code}"
        if self.tally is None:
            return "printed no tally"
        if (self.tally.pages, self.tally.items) != (self.expected, self.expected):
            return f"read {self.tally.pages} pages and {self.tally.items} records instead of {self.expected}"
        if self.requests < self.expected:
            return f"claims {self.tally.pages} pages, but the site answered only {self.requests} requests"
        if self.measurement.left_behind:
            return f"left {self.measurement.left_behind} processes behind, whose CPU time is missing"
        return None

    @property
    def cpu_seconds_per_1000(self) -> float:
        """CPU seconds per 1,000 pages, starting the interpreter included."""
        return self.measurement.cpu.total_seconds() * 1000 / self.expected

    @property
    def pages_per_second(self) -> float:
        """Pages per second of wall time, starting the interpreter included."""
        return self.expected / self.measurement.wall.total_seconds()

    @property
    def peak_rss_mb(self) -> float:
        """Peak resident memory of the process tree in MB (10^6 bytes)."""
        return self.measurement.peak_rss_bytes / 1e6


def is_built(contender: Contender) -> bool:
    """Whether the contender's module is there at all."""
    return find_spec(contender.module) is not None


def tally_from(stdout: str) -> Tally | None:
    """The Tally in the last line of what a contender printed."""
    lines = stdout.strip().splitlines()
    try:
        fields = json.loads(lines[-1])
        counts = {name: int(fields[name]) for name in ("pages", "items", "links")}
        return Tally(**counts, started=float(fields["started"]), reading_ms=float(fields["reading_ms"]))
    except (IndexError, ValueError, KeyError, TypeError):
        return None
