"""`lamplighter sources list`: sources by the filter of the start page."""

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated

import typer

from lamplighter.cli.terminal import tables
from lamplighter.cli.terminal.console import answer, print_json
from lamplighter.cli.terminal.options import Data, Json, load_settings
from lamplighter.cli.terminal.tables import NONE, TableColumn
from lamplighter.cli.terminal.transaction import in_reading
from lamplighter.errors import BadInput
from lamplighter.model.crawl import RunOutcome
from lamplighter.operations.sources import source_filters, source_status
from lamplighter.operations.sources.source_status import WatchedSource
from lamplighter.store.sources.source_filter import SourceFilter

app = typer.Typer(add_completion=False)
_WORDS = ", ".join(word for word, _ in source_filters.STATUS_CHOICES if word)
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


def which_of(*, search: str = "", status: str = "", tag: str = "", host: str = "") -> SourceFilter:
    """The filter of the start page; BadInput names the value that it does not know."""
    typed = {"search": search, "status": status, "tag": tag, "host": host}
    given = {name: value.strip() for name, value in typed.items() if value.strip()}
    for name, fault in source_filters.faults(given).items():
        raise BadInput(fault, field=name)
    return source_filters.which(given, now=datetime.now(UTC))


@app.command("list")
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


def _row(source: WatchedSource) -> tuple[object, ...]:
    state = source.health.replace("_", " ")
    planned = f"{source.next_run_at:%Y-%m-%d %H:%M} UTC, {source.why}" if source.next_run_at else "none planned"
    last = f"{source.last_outcome} {source.last_finished_at:%Y-%m-%d %H:%M}" if source.last_finished_at else NONE
    problem = source.waiting or (source.last_message if source.last_outcome in _TROUBLE else None) or NONE
    return (source.name, source.kind or "auto", state, last, source.record_count, planned, problem, source.url)
