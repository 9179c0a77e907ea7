"""What does a real page cost: seen first, seen again as it was, and seen again with news? Ours beside two peers.

    python -m benchmarks.real_crawl [--pages 1600] [--hosts 50] [--rounds 3] [--peers scrapy_kept|none]

Every contender keeps what it found in a folder of its own and comes four times. The site is the same for all of a
visit, and all take turns; of each the round in the middle counts.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from statistics import median_low
from typing import Final, NamedTuple

from benchmarks.contenders import OURS, Contender, tally_from
from benchmarks.measuring.findings import Figure, Findings, Part, Sheet, Size, Tell
from benchmarks.measuring.measure import measure
from benchmarks.measuring.peer_venv import python_of_peers
from benchmarks.measuring.showing import alone
from benchmarks.site.nginx import Origin, Serving, serve
from benchmarks.site.real_site import REAL_PAGES, RealSite

_REPOSITORY: Final = Path(__file__).resolve().parent.parent
_WORKSPACE: Final = _REPOSITORY / ".bench"
_PATIENCE_PER_PAGE: Final = timedelta(seconds=1)
_PATIENCE_AT_LEAST: Final = timedelta(minutes=2)
#: CPU ms of reading a page that is new, and of everything for one that is the same; and beside Scrapy, over all visits
READING_MS, UNCHANGED_MS, SCRAPY_TIMES = 20.0, 2.5, 3.0
PEERS: Final = tuple(
    Contender(name=name, module=f"benchmarks.peers.{name}", does=does)
    for name, does in (
        ("scrapy_kept", "Scrapy tuned, extruct, trafilatura, SQLite"),
        ("crawlee_kept", "crawlee, extruct, trafilatura, SQLite"),
    )
)
#: pages, hosts, rounds
_SIZES: Final = {Size.FULL: (1_600, 50, 3), Size.QUICK: (200, 50, 1), Size.TINY: (8, 4, 1)}


_NOTE: Final = (
    "Readers are started within each visit, which is about a CPU second; on a later visit they read the first page "
    "of each host for its links, and what has changed. Ours keeps no copy of pages that ask for that (noarchive); "
    "peers do not look."
)


class Visit(NamedTuple):
    """One of the visits, and how the site is then."""

    name: str
    #: whether a tenth of the pages has changed since the visit before
    has_news: bool = False
    #: whether pages have validators
    can_be_asked: bool = True


#: The one without validators comes last: after it nobody has any.
VISITS: Final = (
    Visit("first visit"),
    Visit("nothing changed"),
    Visit("a tenth changed", has_news=True),
    Visit("nothing changed, without validators", can_be_asked=False),
)


class Cost(NamedTuple):
    """What a visit cost a contender."""

    #: CPU ms a page, without starting
    ms: float
    #: CPU seconds until the first request could be sent
    started: float
    #: CPU ms of reading a page, in all visits so far
    reading_ms: float
    peak_mb: float
    #: why the figures must not be believed; empty when they may
    complaint: str


def measured(pages: int, hosts: int, rounds: int, peers: Sequence[Contender], *, tell: Tell) -> Findings:
    """The visits of all rounds; of each the middle one."""
    costs: dict[tuple[str, str], list[Cost]] = {}
    python = python_of_peers(_WORKSPACE) if peers else sys.executable
    for number in range(1, rounds + 1):
        with tempfile.TemporaryDirectory(prefix="bench-real-") as name:
            folder = Path(name)
            tell("writing the pages")
            site = RealSite.written(folder / "site", hosts=hosts, pages=pages)
            for visit, contender, cost in _round(site, folder, (OURS, *peers), python, tell=tell, number=number):
                costs.setdefault((visit.name, contender.name), []).append(cost)
    middle = {key: _middle(found) for key, found in costs.items()}
    return Findings(
        figures=tuple(_promises(middle, peers)),
        sheets=tuple(_sheets(middle, (OURS, *peers), pages=pages, hosts=hosts)),
    )


def _round(
    site: RealSite, folder: Path, contenders: Sequence[Contender], python: str, *, tell: Tell, number: int
) -> Iterator[tuple[Visit, Contender, Cost]]:
    port = None
    for visit in VISITS:
        if visit.has_news:
            site.change_some(number)
        serving = Serving(says_charset=False, has_validators=visit.can_be_asked, port=port)
        with serve(site.folder, site.addresses, serving) as origin:
            port = origin.port
            for contender in contenders:
                tell(f"{contender.name}: {visit.name}, round {number}")
                state = folder / contender.name
                state.mkdir(exist_ok=True)
                interpreter = sys.executable if contender is OURS else python
                yield visit, contender, _cost(contender, interpreter, site, origin, state)


def _cost(contender: Contender, python: str, site: RealSite, origin: Origin, state: Path) -> Cost:
    before = origin.requests()
    spent = measure(
        [python, "-m", contender.module, "--state", str(state), "--depth", "1", "--base", *site.bases(origin.port)],
        cwd=_REPOSITORY,
        timeout=max(_PATIENCE_AT_LEAST, _PATIENCE_PER_PAGE * site.pages),
    )
    tally, requests = tally_from(spent.stdout), origin.requests() - before - 1
    complaint = ""
    if spent.exit_code or tally is None:
        complaint = f"ended with {spent.exit_code}: {spent.stderr[-500:]}"
    elif requests < site.pages + site.hosts:
        complaint = f"asked for {requests} of {site.pages + site.hosts} pages"
    started = tally.started if tally else 0.0
    ms = 1000 * (spent.cpu.total_seconds() - started) / site.pages
    reading_ms = tally.reading_ms if tally else 0.0
    return Cost(ms=ms, started=started, reading_ms=reading_ms, peak_mb=spent.peak_rss_bytes / 1e6, complaint=complaint)


def _middle(found: Sequence[Cost]) -> Cost:
    if spoilt := [cost for cost in found if cost.complaint]:
        return spoilt[0]
    ms = median_low([cost.ms for cost in found])
    return next(cost for cost in found if cost.ms == ms)


def _promises(middle: Mapping[tuple[str, str], Cost], peers: Sequence[Contender]) -> Iterator[Figure]:
    first = middle[VISITS[0].name, OURS.name]
    yield Figure(name="reading a page, first visit", value=round(first.reading_ms, 1), unit="ms", at_most=READING_MS)
    for visit in VISITS:
        if not visit.has_news and visit is not VISITS[0]:
            cost = middle[visit.name, OURS.name]
            yield Figure(name=f"CPU of a page, {visit.name}", value=round(cost.ms, 2), unit="ms", at_most=UNCHANGED_MS)
    for peer in peers[:1]:
        theirs, ours = (sum(middle[visit.name, who.name].ms for visit in VISITS) for who in (peer, OURS))
        yield Figure(
            name=f"pages per CPU second beside {peer.name}, all visits",
            value=round(theirs / ours, 2),
            unit="times",
            at_least=SCRAPY_TIMES,
        )


def _sheets(
    middle: Mapping[tuple[str, str], Cost], contenders: Sequence[Contender], *, pages: int, hosts: int
) -> Iterator[Sheet]:
    whose = "real" if REAL_PAGES.is_dir() else "our own"
    complaints = [f"{who}, {visit}: {cost.complaint}." for (visit, who), cost in middle.items() if cost.complaint]
    yield Sheet(
        title=f"CPU ms of a page, {pages:,} {whose} pages on {hosts} hosts",
        headings=("", *(contender.name for contender in contenders)),
        rows=tuple(
            (visit.name, *(f"{middle[visit.name, contender.name].ms:.2f}" for contender in contenders))
            for visit in VISITS
        ),
        note=" ".join((_NOTE, *complaints)),
    )
    first = VISITS[0].name
    yield Sheet(
        title="Starting, memory, and what each does",
        headings=("", "CPU s to start", "peak RSS MB, first visit", "what it does"),
        rows=tuple(
            (
                contender.name,
                f"{middle[first, contender.name].started:.2f}",
                f"{middle[first, contender.name].peak_mb:.0f}",
                contender.does,
            )
            for contender in contenders
        ),
    )


def main() -> int:
    """Measures what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=1_600)
    parser.add_argument("--hosts", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peers", default=",".join(peer.name for peer in PEERS), help="names with commas, or none")
    given = parser.parse_args()
    peers = [peer for peer in PEERS if peer.name in given.peers.split(",")]
    return alone(lambda tell: measured(given.pages, given.hosts, given.rounds, peers, tell=tell))


PART: Final = Part(
    name="real_crawl",
    title="Real crawl",
    about=(
        "Real pages (mean 220 KB) on loopback hosts, served by nginx: a first visit, and three more. Everyone obeys "
        "robots.txt, keeps bodies, structured data, links and text in SQLite, asks with validators and does not read a "
        "page again that is the same byte for byte. CPU is that of the process and its children without starting. All "
        "take turns, three times; of each the middle is shown."
    ),
    run=lambda size, tell: measured(*_SIZES[size], () if size is Size.TINY else PEERS, tell=tell),
)


if __name__ == "__main__":
    sys.exit(main())
