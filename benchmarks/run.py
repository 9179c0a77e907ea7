"""Shows how well we read, then crawls the same site with ours and with each peer and shows what each cost.

    python -m benchmarks.run [--pages 5000] [--hosts 50] [--peers scrapy_tuned,bare_loop|none] [--json FILE]
    python -m benchmarks.run --memory        does our memory stay flat from 5,000 to 50,000 pages?
    python -m benchmarks.extraction          only how well we read, page by page

CPU seconds are the figure to compare: other work on the machine moves them less than it moves pages per second. They
still differ from run to run, so repeat before believing a small difference.
"""

import argparse
import sys
import time
from collections.abc import Iterable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from benchmarks import extraction
from benchmarks.contenders import OURS, PEERS, Contender, Result, is_built, tally_from
from benchmarks.corpus import cases
from benchmarks.measure import measure
from benchmarks.nginx import NginxFailedError, NginxMissingError, Origin, serve
from benchmarks.peer_venv import python_of_peers
from benchmarks.report import Row, table, write_json
from benchmarks.site import SitePlan, UnevenSiteError, write_site

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
    if not arguments.memory:
        console.print(extraction.table(extraction.scores_of(cases())))
    try:
        plans = [SitePlan.even(pages=pages, hosts=arguments.hosts) for pages in sizes]
        for plan in plans:
            rows += compare(contenders, plan=plan, console=console)
    except (NginxMissingError, NginxFailedError, UnevenSiteError) as problem:
        console.print(str(problem), style="red", highlight=False)
        return 2

    console.print(table(rows, title=f"{' and '.join(f'{size:,}' for size in sizes)} pages on {arguments.hosts} hosts"))
    if arguments.memory:
        console.print(memory_verdict(rows))
    if arguments.json:
        write_json(rows, arguments.json)
    return int(any(isinstance(row, Result) and row.complaint for row in rows))


def compare(contenders: Sequence[Contender], *, plan: SitePlan, console: Console) -> list[Row]:
    """Serves the planned site and lets each contender crawl it, one after another."""
    if not any(map(is_built, contenders)):
        return list(contenders)

    site = _WORKSPACE / "site" / f"{len(plan.page_counts)}-hosts-{plan.pages}-pages"
    with console.status("Writing the site and installing the peers"):
        site.mkdir(parents=True, exist_ok=True)
        (_WORKSPACE / ".gitignore").write_text("*\n")
        write_site(plan, site)
        peers_python = python_of_peers(_WORKSPACE) if any(peer in PEERS for peer in contenders) else sys.executable

    rows: list[Row] = []
    with serve(site, plan.addresses) as origin, Progress(*_PROGRESS_COLUMNS, console=console) as progress:
        for contender in contenders:
            if not is_built(contender):
                rows.append(contender)
                continue
            python = peers_python if contender in PEERS else sys.executable
            rows.append(_crawl(contender, python=python, plan=plan, origin=origin, progress=progress))
    for row in rows:
        if isinstance(row, Result) and row.complaint:
            console.print(f"{row.contender.name} {row.complaint}\n{row.measurement.stderr[-4000:]}", markup=False)
    return rows


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


def _peers(names: str) -> tuple[Contender, ...]:
    known = {peer.name: peer for peer in PEERS}
    chosen = () if names == "none" else tuple(names.split(","))
    if unknown := set(chosen) - set(known):
        raise argparse.ArgumentTypeError(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(known)}, none")
    return tuple(known[name] for name in chosen)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=__doc__.partition("\n")[0])
    parser.add_argument("--pages", type=int, default=5_000, help="pages of all hosts together (5000)")
    parser.add_argument("--hosts", type=int, default=50, help="loopback addresses to spread them over (50)")
    parser.add_argument("--peers", type=_peers, default=PEERS, help="names with commas between, or none (all)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep the figures in this file too")
    parser.add_argument("--memory", action="store_true", help="ours only: compare memory at 5,000 and 50,000 pages")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
