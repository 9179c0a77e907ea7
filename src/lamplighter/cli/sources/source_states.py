"""`lamplighter sources enable|disable|delete|restore`: changes the state of a source."""

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from lamplighter.app import source_defaults
from lamplighter.cli.terminal.console import answer
from lamplighter.cli.terminal.options import Data, load_settings
from lamplighter.cli.terminal.transaction import in_transaction
from lamplighter.model.access import Stamp
from lamplighter.model.source import Source
from lamplighter.operations.sources import source_states, sources
from lamplighter.operations.sources.source_edits import SourceChangeContext
from lamplighter.rules.formats.plural import counted
from lamplighter.store.engine.database import Connection

Url = Annotated[str, typer.Argument(help="The source's URL.")]
Reason = Annotated[str | None, typer.Option(help="The reason, shown with the source.")]
T = TypeVar("T")


def enable(url: Url, reason: Reason = None, data: Data = None) -> None:
    """Enable a source."""
    is_changed = _do(url, source_states.enable, reason, data)
    answer(f"{url} is enabled." if is_changed else f"{url} was enabled already.")


def disable(url: Url, reason: Reason = None, data: Data = None) -> None:
    """Disable a source; its active run ends."""
    is_changed = _do(url, source_states.disable, reason, data)
    answer(f"{url} is disabled." if is_changed else f"{url} was disabled already.")


def delete(url: Url, reason: Reason = None, data: Data = None) -> None:
    """Delete a source; its data stays until `sources remove`."""
    impact = _do(url, source_states.delete, reason, data)
    kept = (counted(impact.pages, "page"), counted(impact.records, "record"), counted(impact.runs, "run"))
    answer(f"{url} is deleted. Kept: {', '.join(kept)}.")


def restore(url: Url, data: Data = None) -> None:
    """Restore a deleted source."""
    _do(url, source_states.restore, None, data)
    answer(f"{url} is restored.")


def _do(
    url: str,
    verb: Callable[[Connection, Source, SourceChangeContext], Coroutine[Any, Any, T]],
    reason: str | None,
    data: Path | None,
) -> T:
    settings = load_settings(data)

    async def work(db: Connection, stamp: Stamp) -> T:
        toggle = SourceChangeContext(stamp=stamp, source_defaults=source_defaults(settings), reason=reason)
        return await verb(db, await sources.find_by_url(db, url), toggle)

    return in_transaction(settings, work)
