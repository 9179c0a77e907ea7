"""Live progress and final report of `lamplighter crawl`."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from lamplighter.cli.records import records_table
from lamplighter.cli.terminal.console import answer, err, plain, say
from lamplighter.model.crawl import CrawlRun, RunOutcome
from lamplighter.operations.runs import runs
from lamplighter.operations.runs.crawl_once import OpenedCrawl
from lamplighter.rules.formats.plural import counted
from lamplighter.rules.hosts.waiting import Wait

#: lines about what went wrong, per run
_MOST_WARNINGS = 20
#: a wait shorter than this is not worth a word
_SHORT_WAIT_SECONDS = 0.5


class Crawled(NamedTuple):
    """A run as last seen by the command."""

    opened: OpenedCrawl
    run: CrawlRun
    records: list[dict[str, Any]]
    #: (url, message) of what went wrong
    warnings: list[tuple[str | None, str]]


class Display:
    """The progress display, one line per run."""

    def __init__(self, progress: Progress, opened: Sequence[OpenedCrawl]) -> None:
        self._progress = progress
        self._lines = {each.run_id: progress.add_task(plain(each.url), total=None, doing="") for each in opened}

    def update(
        self, opened: OpenedCrawl, progress: runs.RunProgress, *, wait_seconds: float | None, wait: Wait | None = None
    ) -> None:
        """Updates the line of a run.

        `wait_seconds` is the time to the next request to its host, None if no worker holds the host. `wait` is a longer
        wait.
        """
        run, done = progress.run, progress.pages_known - progress.pages_open
        self._progress.update(
            self._lines[opened.run_id],
            completed=done,
            total=progress.pages_known,
            doing=f"{counted(run.tally.records_found, 'record')} · {_doing(progress, wait_seconds, wait)}",
        )


@contextmanager
def live(opened: Sequence[OpenedCrawl]) -> Iterator[Display]:
    """The live display as a context manager."""
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TextColumn("pages"),
        TextColumn("{task.fields[doing]}", markup=False),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=err(), transient=True, disable=not err().is_terminal) as progress:
        yield Display(progress, opened)


def show(crawled: Sequence[Crawled]) -> None:
    """Prints the records as a table, then one line per run with its problems."""
    found = [record for each in crawled for record in each.records]
    if found:
        records_table.show(found)
    for each in crawled:
        if each.run.outcome is None:
            answer(f"stopped  {each.opened.url}: not finished; run the same command to continue")
        else:
            answer(f"{each.run.outcome:8} {each.opened.url}: {each.run.message}")
        if each.run.outcome is not RunOutcome.OK:
            _show_warnings(each)


def _show_warnings(crawled: Crawled) -> None:
    """Prints the problems of each page, unless the run's own line has them."""
    shown = crawled.run.message or ""
    other_warnings = [f"  {url or ''} {message}" for url, message in crawled.warnings if message not in shown]
    for line in other_warnings[:_MOST_WARNINGS]:
        say(line)
    if len(other_warnings) > _MOST_WARNINGS:
        say(f"  … and {len(other_warnings) - _MOST_WARNINGS} more")


def _doing(progress: runs.RunProgress, wait_seconds: float | None, wait: Wait | None) -> str:
    if not progress.pages_open:
        return "finishing"
    if wait is not None:
        return f"waits until {wait.until:%Y-%m-%d %H:%M} UTC: {wait.why}" if wait.until else f"waits: {wait.why}"
    if wait_seconds is None:
        return "waiting for the host's turn"
    if wait_seconds > _SHORT_WAIT_SECONDS:
        return f"next request in {wait_seconds:.0f} s"
    return "fetching"
