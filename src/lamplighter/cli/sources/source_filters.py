"""`lamplighter sources list|bulk`: sources by the filter of the start page, and one action for all of them."""

import sys
from collections import Counter
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer

from lamplighter.app import Store, source_defaults
from lamplighter.cli.terminal import tables
from lamplighter.cli.terminal.console import FAILED, answer, print_json, say
from lamplighter.cli.terminal.options import Data, Json, Yes, load_settings
from lamplighter.cli.terminal.tables import NONE, TableColumn
from lamplighter.cli.terminal.transaction import ACTOR, in_reading, with_store
from lamplighter.errors import BadInput
from lamplighter.model.access import Stamp
from lamplighter.model.crawl import RunOutcome
from lamplighter.operations.sources import source_bulk, source_status
from lamplighter.operations.sources.source_bulk import BulkAction, BulkOrder, BulkReport
from lamplighter.operations.sources.source_edits import SourceChangeContext
from lamplighter.operations.sources.source_status import WatchedSource
from lamplighter.rules.formats.plural import counted
from lamplighter.store.sources.source_filter import SourceFilter
from lamplighter.web.dashboard.sources.source_query import STATUS_CHOICES, SourceQuery

_WORDS = ", ".join(word for word, _ in STATUS_CHOICES if word)
Status = Annotated[str, typer.Option(help=f"Only sources in this state: {_WORDS}.", show_default="any")]
Tag = Annotated[str, typer.Option(help="Only sources with this tag.", show_default="any")]
Host = Annotated[str, typer.Option(help="Only sources of this host, with its port if it has one.", show_default="any")]
Search = Annotated[str, typer.Option(metavar="TEXT", help="Only sources with this text in name or URL.")]
_COLUMNS = (
    TableColumn(heading="Name", rank=1, least=12),
    TableColumn(heading="Kind", rank=7),
    TableColumn(heading="State", rank=2),
    TableColumn(heading="Last run", rank=6),
    TableColumn(heading="Records", rank=5, is_number=True),
    TableColumn(heading="Next run", rank=4, least=17),
    TableColumn(heading="Problem", rank=3, least=20),
    TableColumn(heading="URL", rank=0),  # other commands know a source by it
)
_TROUBLE = (RunOutcome.FAIL, RunOutcome.WARN)
#: reasons of refusals that are named
_MOST_REASONS = 3


def which_of(*, search: str = "", status: str = "", tag: str = "", host: str = "") -> SourceFilter:
    """The filter of the start page; BadInput names the value that it does not know."""
    query = SourceQuery.of({"search": search, "status": status, "tag": tag, "host": host})
    for name, fault in query.faults.items():
        raise BadInput(fault, field=name)
    return query.which(datetime.now(UTC))


def list_sources(
    search: Search = "",
    status: Status = "",
    tag: Tag = "",
    host: Host = "",
    data: Data = None,
    as_json: Json = False,
) -> None:
    """List the sources with their state, their problem and their next run; filters as on the start page."""
    which = which_of(search=search, status=status, tag=tag, host=host)
    watched = in_reading(load_settings(data), lambda db, stamp: source_status.watched(db, now=stamp.now, which=which))
    if as_json:
        return print_json([asdict(source) for source in watched])
    if not watched and which == SourceFilter():
        return answer("No sources yet; `lamplighter sources add URL` adds one.")
    if not watched:
        return answer("No source matches.")
    return tables.show(_COLUMNS, [_row(source) for source in watched])


def bulk(
    action: Annotated[BulkAction, typer.Argument(help="What to do with all sources that match.")],
    search: Search = "",
    status: Status = "",
    tag: Tag = "",
    host: Host = "",
    everything: Annotated[bool, typer.Option("--all", help="All sources, without a filter.")] = False,
    with_tag: Annotated[str, typer.Option(help="The tag of add_tag and remove_tag.")] = "",
    to_priority: Annotated[int | None, typer.Option(min=0, max=100, help="The priority of set_priority.")] = None,
    yes: Yes = False,
    data: Data = None,
) -> None:
    """Pause, resume, run, disable … every source that matches; asks first."""
    which = which_of(search=search, status=status, tag=tag, host=host)
    if which == SourceFilter() and not everything:
        raise BadInput("name the sources: --status, --tag, --host or --search, or --all for every source")
    settings = load_settings(data)
    order = BulkOrder(
        action=action,
        which=which,
        tag=with_tag,
        priority=to_priority,
        deadline=timedelta(minutes=settings.run_deadline_minutes),
    )
    if not yes:
        matched = with_store(settings, lambda store: source_bulk.preview(store.db, order)).matched
        _confirm(f"{action} {counted(matched, 'source')}")

    async def work(store: Store) -> BulkReport:
        stamp = Stamp(ACTOR, store.clock.now())
        context = SourceChangeContext(stamp=stamp, source_defaults=source_defaults(settings), reason=None)
        return await source_bulk.bulk(store.db, order, context)

    report = with_store(settings, work)
    for message, count in Counter(each.message for each in report.refusals).most_common(_MOST_REASONS):
        say(f"Refused: {message}" + (f" ({count} times)" if count > 1 else ""))
    answer(
        f"{action}: {counted(report.changed, 'source')} changed, {report.unchanged} unchanged, "
        f"{report.refused} refused."
    )
    if report.refused:
        raise typer.Exit(FAILED)


def _confirm(what: str) -> None:
    if not sys.stdin.isatty():
        raise BadInput(f"this would {what}; nothing was changed. Add --yes to confirm")
    if not typer.confirm(f"{what}?", err=True):
        say("Nothing was changed.")
        raise typer.Exit(FAILED)


def _row(source: WatchedSource) -> tuple[object, ...]:
    state = source.health.replace("_", " ")
    planned = f"{source.next_run_at:%Y-%m-%d %H:%M} UTC, {source.why}" if source.next_run_at else "none planned"
    last = f"{source.last_outcome} {source.last_finished_at:%Y-%m-%d %H:%M}" if source.last_finished_at else NONE
    problem = source.waiting or (source.last_message if source.last_outcome in _TROUBLE else None) or NONE
    return (source.name, source.kind or "auto", state, last, source.record_count, planned, problem, source.url)
