"""How many robots.txt and URLs are dealt with in a second, beside other libraries?

    python -m benchmarks.robots_urls

Operations per second of CPU time of one core. The peers' libraries run in the peers' own environment.
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, TypeVar

from benchmarks.measuring.findings import Findings, Part, Sheet, Size, Tell
from benchmarks.measuring.peer_venv import python_of_peers
from benchmarks.site.site import ROBOTS

T = TypeVar("T")
AGENT: Final = "LamplighterBot"
BASE: Final = "https://jobs.example.org/board/list?page=2"
#: as found on pages: plain, with a query, escaped, odd
URLS: Final = tuple(
    url
    for number in range(10_000)
    for url in (
        f"https://jobs.example.org/jobs/registered-nurse-{number:06d}.html",
        f"https://jobs.example.org/search?q=nurse&page={number}&utm_source=feed",
        f"HTTPS://Jobs.Example.ORG:443/jobs/../jobs/%7Euser/{number}#top",
        f"https://jobs.example.org/jobs/caf\u00e9-{number}/print",
    )
)
HREFS: Final = tuple(
    href
    for number in range(10_000)
    for href in (f"/jobs/{number}", f"../jobs/{number}.html", f"?page={number}", f"https://other.example/{number}#x")
)
LONG_ROBOTS: Final = "User-agent: *\n" + "".join(
    f"{'Allow' if number % 5 == 0 else 'Disallow'}: /{'archive' if number % 2 else 'old'}/{number}/*.html\n"
    for number in range(2_000)
)
#: CPU seconds for each operation
_SECONDS: Final = {Size.FULL: 0.5, Size.QUICK: 0.2, Size.TINY: 0.001}
_REPOSITORY: Final = Path(__file__).resolve().parent.parent


def per_second(operation: Callable[[T], object], given: Sequence[T], *, seconds: float = 0.5) -> float:
    """Operations per CPU second, over so many seconds at least."""
    count, began = 0, time.process_time()
    while True:
        for one in given:
            operation(one)
            count += 1
            spent = time.process_time() - began
            if spent >= seconds:
                return count / spent


def measured(size: Size, tell: Tell) -> Findings:
    """One column for each library; an empty cell where it does nothing of the kind."""
    tell("robots.txt and URLs, ours")
    columns = {"lamplighter": _ours(_SECONDS[size])}
    if size is not Size.TINY:
        tell("robots.txt and URLs, the peers' libraries")
        columns |= _google(_SECONDS[size])
        columns |= _peers()
    operations = list(columns["lamplighter"])
    sheet = Sheet(
        title="Thousand operations per CPU second",
        headings=("", *columns),
        rows=tuple((name, *(_cell(column.get(name)) for column in columns.values())) for name in operations),
        note="w3lib's normal form differs from ours, and urllib's robots.txt knows no wildcards: both do less.",
    )
    return Findings(sheets=(sheet,))


def _cell(value: float | None) -> str:
    return "" if value is None else f"{value / 1000:,.3g}"


def _ours(seconds: float) -> dict[str, float]:
    # Here, because the peers' interpreter reads the rest of this module and has no lamplighter.
    from lamplighter.rules.robots.robots import compile_robots
    from lamplighter.rules.urls import urls

    short, long = compile_robots(ROBOTS.encode()), compile_robots(LONG_ROBOTS.encode())
    resolver = urls.LinkResolver(BASE)

    def rate(operation: Callable[[str], object], given: Sequence[str] = URLS) -> float:
        return per_second(operation, given, seconds=seconds)

    return {
        "robots.txt read": rate(lambda _: compile_robots(ROBOTS.encode())),
        "robots.txt of 2,000 rules read": rate(lambda _: compile_robots(LONG_ROBOTS.encode())),
        "may this URL be fetched?": rate(lambda url: short.verdict(AGENT, url)),
        "the same, 2,000 rules": rate(lambda url: long.verdict(AGENT, url)),
        "URLs normalised": rate(urls.normalise),
        "links resolved": rate(resolver.resolve, HREFS),
    }


def _google(seconds: float) -> dict[str, dict[str, float]]:
    """A port of Google's own matcher, if it is installed; it reads the file anew for every question."""
    try:
        from gpyrobotstxt.robots_cc import RobotsMatcher  # type: ignore[import-untyped]
    except ImportError:
        return {}

    def ask(text: bytes) -> Callable[[str], object]:
        return lambda url: RobotsMatcher().allowed_by_robots(text, [AGENT], url)

    return {
        "gpyrobotstxt": {
            "may this URL be fetched?": per_second(ask(ROBOTS.encode()), URLS, seconds=seconds),
            "the same, 2,000 rules": per_second(ask(LONG_ROBOTS.encode()), URLS, seconds=seconds),
        }
    }


def _peers() -> dict[str, dict[str, float]]:
    python = python_of_peers(_REPOSITORY / ".bench")
    told = subprocess.run(
        [python, "-m", "benchmarks.peers.words"], cwd=_REPOSITORY, check=True, capture_output=True, text=True
    )
    found: dict[str, dict[str, float]] = json.loads(told.stdout)
    return found


PART: Final = Part(
    name="robots_urls",
    title="Robots and URLs",
    about="Operations per second of CPU time of one core, beside the libraries that peers use for the same.",
    run=measured,
)


def main() -> int:
    """Measures everything."""
    from benchmarks.measuring.showing import alone

    return alone(lambda tell: measured(Size.FULL, tell))


if __name__ == "__main__":
    sys.exit(main())
