"""`lamplighter sources bulk`: one action for all sources of a filter."""

import sys
from collections import Counter
from datetime import timedelta
from typing import Annotated

import typer

from lamplighter.app import Store, source_defaults
from lamplighter.cli.sources.source_list import Host, Search, Status, Tag, which_of
from lamplighter.cli.terminal.console import FAILED, answer, say
from lamplighter.cli.terminal.options import Data, Yes, load_settings
from lamplighter.cli.terminal.transaction import ACTOR, with_store
from lamplighter.errors import BadInput
from lamplighter.model.access import Stamp
from lamplighter.operations.sources import source_bulk
from lamplighter.operations.sources.source_bulk import BulkAction, BulkOrder, BulkReport
from lamplighter.operations.sources.source_edits import SourceChangeContext
from lamplighter.rules.formats.plural import counted
from lamplighter.store.sources.source_filter import SourceFilter

app = typer.Typer(add_completion=False)
#: reasons of refusals that are named
_MOST_REASONS = 3


@app.command()
def bulk(
    action: Annotated[BulkAction, typer.Argument(help="What to do with all sources that match.")],
    search: Search = "",
    status: Status = "",
    tag: Tag = "",
    host: Host = "",
    everything: Annotated[bool, typer.Option("--all", help="All sources, without a filter.")] = False,
    with_tag: Annotated[str, typer.Option(help="The tag of add_tag and remove_tag.")] = "",
    to_priority: Annotated[int | None, typer.Option(min=0, max=100, help="The priority of set_priority.")] = None,
    max_pages: Annotated[int | None, typer.Option(min=1, help="The most pages of a run, for set_max_pages.")] = None,
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
        max_pages=max_pages,
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
