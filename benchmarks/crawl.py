"""Crawls the same site with ours and with each peer, and shows what each cost.

    python -m benchmarks.crawl [--pages 10000] [--hosts 50] [--rounds 3] [--peers scrapy_tuned,bare_loop|none]
    python -m benchmarks.crawl --memory        does our memory stay flat from 5,000 to 50,000 pages?

CPU seconds are the figure to compare: other work on the machine moves them less than it moves pages per second. They
still differ by a fifth from one minute to the next, so all take turns, and of each the round in the middle counts.
"""

import argparse
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from benchmarks.contenders import OURS, PEERS, Contender, Result, is_built, tally_from
from benchmarks.measuring.findings import Figure, Findings, Part, Sheet, Size, Tell
from benchmarks.measuring.measure import measure
from benchmarks.measuring.peer_venv import python_of_peers
from benchmarks.measuring.report import Row, table, write_json
from benchmarks.site.nginx import NginxFailedError, NginxMissingError, Origin, serve
from benchmarks.site.site import SitePlan, UnevenSiteError, write_site

#: pages per CPU second beside Scrapy, cost beside the bare loop, and MB
DEFAULT_TIMES, TUNED_TIMES, BARE_TIMES, MEMORY = 5.0, 1.7, 2.8, 200.0
#: pages, hosts, rounds; whom we are compared with
_SIZES: Final = {Size.FULL: (10_000, 50, 3), Size.QUICK: (2_000, 50, 1), Size.TINY: (40, 4, 1)}
_PEERS: Final = {
    Size.FULL: PEERS,
    Size.QUICK: tuple(peer for peer in PEERS if peer.name in ("scrapy_tuned", "bare_loop")),
    Size.TINY: (),
}
_REPOSITORY: Final = Path(__file__).resolve().parent.parent
_WORKSPACE: Final = _REPOSITORY / ".bench"
_SHOW_EVERY_SECONDS: Final = 0.5
_MEMORY_PAGES: Final = (5_000, 50_000)
_PROGRESS_COLUMNS: Final = (TextColumn("{task.description:15}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
#: Far beyond what the slowest peer needs: a guard against a crawl that never ends, not a limit to be met.
_TIMEOUT_PER_PAGE: Final = timedelta(seconds=0.1)
_TIMEOUT_AT_LEAST: Final = timedelta(minutes=2)


def main() -> int:
    """Runs what the command line asks for; 0 when every figure may be believed, 1 when not, 2 when nothing ran."""
    arguments = _arguments()
    console = Console()
    sizes = _MEMORY_PAGES if arguments.memory else (arguments.pages,)
    contenders = (OURS,) if arguments.memory else (OURS, *arguments.peers)
    rows: list[Row] = []
    try:
        plans = [SitePlan.even(pages=pages, hosts=arguments.hosts) for pages in sizes]
        for plan in plans:
            rows += compare(contenders, plan=plan, rounds=arguments.rounds, console=console)
    except (NginxMissingError, NginxFailedError, UnevenSiteError) as problem:
        console.print(str(problem), style="red", highlight=False)
        return 2

    console.print(table(rows, title=f"{' and '.join(f'{size:,}' for size in sizes)} pages on {arguments.hosts} hosts"))
    if arguments.memory:
        console.print(memory_verdict(rows))
    if arguments.json:
        write_json(rows, arguments.json)
    return int(any(isinstance(row, Result) and row.complaint for row in rows))


def compare(
    contenders: Sequence[Contender], *, plan: SitePlan, rounds: int, console: Console, tell: Tell = lambda _: None
) -> list[Row]:
    """Serves the planned site and lets the contenders crawl it in turns; of each the round in the middle counts."""
    if not any(map(is_built, contenders)):
        return list(contenders)

    site = _WORKSPACE / "site" / f"{len(plan.page_counts)}-hosts-{plan.pages}-pages"
    with console.status("Writing the site and installing the peers"):
        site.mkdir(parents=True, exist_ok=True)
        (_WORKSPACE / ".gitignore").write_text("*\n")
        write_site(plan, site)
        peers_python = python_of_peers(_WORKSPACE) if any(peer in PEERS for peer in contenders) else sys.executable

    results: dict[str, list[Result]] = {contender.name: [] for contender in contenders}
    with serve(site, plan.addresses) as origin, Progress(*_PROGRESS_COLUMNS, console=console) as progress:
        for number in range(1, rounds + 1):
            for contender in filter(is_built, contenders):
                tell(f"{contender.name} crawls {plan.pages:,} pages, round {number}")
                python = peers_python if contender in PEERS else sys.executable
                result = _crawl(contender, python=python, plan=plan, origin=origin, progress=progress)
                results[contender.name].append(result)
    rows: list[Row] = [middle(results[contender.name]) or contender for contender in contenders]
    for row in rows:
        if isinstance(row, Result) and row.complaint:
            console.print(f"{row.contender.name} {row.complaint}\n{row.measurement.stderr[-4000:]}", markup=False)
    return rows


def middle(rounds: Sequence[Result]) -> Result | None:
    """The round with the middle cost, or one that may not be believed; None without any."""
    by_cost = sorted(rounds, key=lambda result: (result.complaint is None, result.cpu_seconds_per_1000))
    if not by_cost or by_cost[0].complaint:
        return next(iter(by_cost), None)
    return by_cost[len(by_cost) // 2]


def _crawl(contender: Contender, *, python: str, plan: SitePlan, origin: Origin, progress: Progress) -> Result:
    task = progress.add_task(contender.name, total=plan.pages)
    before = origin.requests()
    asked, shown_at = 0, 0.0

    def requests_so_far() -> int:
        # Each question is itself a request, and must not be counted as the contender's.
        nonlocal asked
        asked += 1
        return origin.requests() - before - asked

    def show() -> None:
        nonlocal shown_at
        if time.monotonic() - shown_at >= _SHOW_EVERY_SECONDS:
            progress.update(task, completed=min(requests_so_far(), plan.pages))
            shown_at = time.monotonic()

    measurement = measure(
        [python, "-m", contender.module, "--base", *plan.bases(origin.port)],
        cwd=_REPOSITORY,
        timeout=max(_TIMEOUT_AT_LEAST, _TIMEOUT_PER_PAGE * plan.pages),
        on_sample=show,
    )
    requests = requests_so_far()
    progress.update(task, completed=min(requests, plan.pages))
    return Result(
        contender=contender,
        measurement=measurement,
        tally=tally_from(measurement.stdout),
        requests=requests,
        expected=plan.pages,
    )


def memory_verdict(rows: Iterable[Row]) -> str:
    """One sentence on how our peak memory grew with the number of pages."""
    measured = [row for row in rows if isinstance(row, Result)]
    if len(measured) < 2:
        return "lamplighter is not built: nothing to compare."
    small, large = measured
    growth = large.peak_rss_mb - small.peak_rss_mb
    per_page = growth * 1e6 / (large.expected - small.expected)
    return f"From {small.expected:,} to {large.expected:,} pages: {growth:+.1f} MB, {per_page:+.0f} bytes a page."


def measured(size: Size, tell: Tell) -> Findings:
    """Ours beside every peer, in one run."""
    pages, hosts, rounds = _SIZES[size]
    plan = SitePlan.even(pages=pages, hosts=hosts)
    rows = compare((OURS, *_PEERS[size]), plan=plan, rounds=rounds, console=Console(quiet=True), tell=tell)
    results = {row.contender.name: row for row in rows if isinstance(row, Result)}
    ours = results[OURS.name]
    complaints = [f"{name} {result.complaint}" for name, result in results.items() if result.complaint]
    sheet = Sheet(
        title=f"{pages:,} pages on {hosts} hosts",
        headings=("", "CPU s / 1,000 pages", "times ours", "pages/s", "peak RSS MB", "requests", "what it does"),
        rows=tuple(_line(row, ours) for row in rows),
        note=" ".join(complaints),
    )
    return Findings(figures=tuple(_promises(results)), sheets=(sheet,))


def _line(row: Row, ours: Result) -> tuple[str, ...]:
    if isinstance(row, Contender):
        return (row.name, *("-",) * 5, "not built")
    return (
        row.contender.name,
        f"{row.cpu_seconds_per_1000:.2f}",
        f"{row.cpu_seconds_per_1000 / ours.cpu_seconds_per_1000:.1f}",
        f"{row.pages_per_second:.0f}",
        f"{row.peak_rss_mb:.0f}",
        str(row.requests),
        row.complaint or row.contender.does,
    )


def _promises(results: Mapping[str, Result]) -> Iterator[Figure]:
    """What was promised of ours, and of the peers that were there."""
    ours = results[OURS.name].cpu_seconds_per_1000
    yield Figure(name="peak memory", value=round(results[OURS.name].peak_rss_mb), unit="MB", at_most=MEMORY)
    for name, times in (("scrapy_default", DEFAULT_TIMES), ("scrapy_tuned", TUNED_TIMES)):
        if name in results and results[name].complaint is None:
            ratio = round(results[name].cpu_seconds_per_1000 / ours, 2)
            yield Figure(name=f"pages per CPU second beside {name}", value=ratio, unit="times", at_least=times)
    if (bare := results.get("bare_loop")) is not None and bare.complaint is None:
        ratio = round(ours / bare.cpu_seconds_per_1000, 2)
        yield Figure(name="cost of a page beside bare_loop", value=ratio, unit="times", at_most=BARE_TIMES)


def _peers(names: str) -> tuple[Contender, ...]:
    known = {peer.name: peer for peer in PEERS}
    chosen = () if names == "none" else tuple(names.split(","))
    if unknown := set(chosen) - set(known):
        raise argparse.ArgumentTypeError(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(known)}, none")
    return tuple(known[name] for name in chosen)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.crawl", description=__doc__.partition("\n")[0])
    parser.add_argument("--pages", type=int, default=10_000, help="pages of all hosts together (10000)")
    parser.add_argument("--hosts", type=int, default=50, help="loopback addresses to spread them over (50)")
    parser.add_argument("--rounds", type=int, default=1, help="how often each crawls them (1)")
    parser.add_argument("--peers", type=_peers, default=PEERS, help="names with commas between, or none (all)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep the figures in this file too")
    parser.add_argument("--memory", action="store_true", help="ours only: compare memory at 5,000 and 50,000 pages")
    return parser.parse_args()


PART: Final = Part(
    name="crawl",
    title="Crawl throughput",
    about=(
        "Every crawler reads the same static site, served by nginx on loopback: about 29 KB, 40 links and one "
        "JobPosting a page. Ours has all guards on and keeps bodies, records, links and pages durably; no delay "
        "between requests, as for the peers. CPU is user and system time of the process and its children, starting "
        "the interpreter included. All take turns, three times; of each the round with the middle cost is shown."
    ),
    run=measured,
)


if __name__ == "__main__":
    sys.exit(main())
