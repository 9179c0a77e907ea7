"""How a crawl goes, live on standard error, and how it ended."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from lamplighter.cli import records_table
from lamplighter.cli.console import answer, err, plain, say
from lamplighter.model.crawl import CrawlRun, Outcome
from lamplighter.operations import runs
from lamplighter.operations.crawl_once import Opened
from lamplighter.rules.waiting import Wait

#: lines about what went wrong, per run
_MOST_WARNINGS = 20
#: a wait shorter than this is not worth a word
_SHORT_WAIT_SECONDS = 0.5


class Crawled(NamedTuple):
    """A run as it stood when we stopped looking."""

    opened: Opened
    run: CrawlRun
    records: list[dict[str, Any]]
    #: (url, message) of what went wrong
    warnings: list[tuple[str | None, str]]


class Display:
    """One line per run."""

    def __init__(self, progress: Progress, opened: Sequence[Opened]) -> None:
        self._progress = progress
        self._lines = {each.run_id: progress.add_task(str(plain(each.url)), total=None, doing="") for each in opened}

    def update(
        self, opened: Opened, standing: runs.Progress, *, wait_seconds: float | None, wait: Wait | None = None
    ) -> None:
        """Shows where a run stands; `wait_seconds` is how long its host is left in peace, None when nobody holds it.

        `wait` is what it waits for, for longer than that.
        """
        run, done = standing.run, standing.pages_known - standing.pages_open
        self._progress.update(
            self._lines[opened.run_id],
            completed=done,
            total=standing.pages_known,
            doing=f"{run.tally.records_found} records · {_doing(standing, wait_seconds, wait)}",
        )


@contextmanager
def live(opened: Sequence[Opened]) -> Iterator[Display]:
    """The display, for as long as the crawl takes."""
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TextColumn("pages"),
        TextColumn("{task.fields[doing]}", markup=False),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as progress:
        yield Display(progress, opened)


def show(crawled: Sequence[Crawled]) -> None:
    """The records as a table, then one line per run and what went wrong in it."""
    found = [record for each in crawled for record in each.records]
    if found:
        records_table.show(found)
    for each in crawled:
        if each.run.outcome is None:
            answer(f"stopped  {each.opened.url}: not finished; the same command goes on where this one stopped")
        else:
            answer(f"{each.run.outcome:8} {each.opened.url}: {each.run.message}")
        if each.run.outcome is not Outcome.OK:
            _show_warnings(each)


def _show_warnings(crawled: Crawled) -> None:
    """What went wrong, page by page, unless the run's own line said it already."""
    said = crawled.run.message or ""
    untold = [f"  {url or ''} {message}" for url, message in crawled.warnings if message not in said]
    for line in untold[:_MOST_WARNINGS]:
        say(line)
    if len(untold) > _MOST_WARNINGS:
        say(f"  … and {len(untold) - _MOST_WARNINGS} more")


def _doing(standing: runs.Progress, wait_seconds: float | None, wait: Wait | None) -> str:
    if not standing.pages_open:
        return "finishing"
    if wait is not None:
        return f"waits until {wait.until:%Y-%m-%d %H:%M} UTC: {wait.why}" if wait.until else f"waits: {wait.why}"
    if wait_seconds is None:
        return "waiting for the host to be free"
    if wait_seconds > _SHORT_WAIT_SECONDS:
        return f"next request in {wait_seconds:.0f} s"
    return "asking"
