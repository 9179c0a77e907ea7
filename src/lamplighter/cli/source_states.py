"""`lamplighter sources enable|disable|delete|restore`: whether a source is crawled."""

from collections.abc import Callable, Coroutine
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from lamplighter.app import norms
from lamplighter.cli.console import answer
from lamplighter.cli.options import Data, load_settings
from lamplighter.cli.transaction import ACTOR, in_transaction
from lamplighter.operations import source_states, sources
from lamplighter.operations.source_edits import Toggle
from lamplighter.store.database import Connection
from lamplighter.store.sources import SourceRow

Url = Annotated[str, typer.Argument(help="The source's URL.")]
Reason = Annotated[str | None, typer.Option(help="Why; it is told to whoever looks later.")]
T = TypeVar("T")


def enable(url: Url, reason: Reason = None, data: Data = None) -> None:
    """Let a source be crawled."""
    is_changed = _do(url, source_states.enable, reason, data)
    answer(f"{url} is enabled." if is_changed else f"{url} was enabled already.")


def disable(url: Url, reason: Reason = None, data: Data = None) -> None:
    """Leave a source alone until it is enabled; the run that goes on ends."""
    is_changed = _do(url, source_states.disable, reason, data)
    answer(f"{url} is disabled." if is_changed else f"{url} was disabled already.")


def delete(url: Url, reason: Reason = None, data: Data = None) -> None:
    """Hide a source; what was found stays until `sources remove`."""
    impact = _do(url, source_states.delete, reason, data)
    answer(f"{url} is deleted; {impact.pages} pages, {impact.records} records and {impact.runs} runs are kept.")


def restore(url: Url, data: Data = None) -> None:
    """Bring a deleted source back."""
    _do(url, source_states.restore, None, data)
    answer(f"{url} is restored.")


def _do(
    url: str,
    verb: Callable[[Connection, SourceRow, Toggle], Coroutine[Any, Any, T]],
    reason: str | None,
    data: Path | None,
) -> T:
    settings = load_settings(data)

    async def work(db: Connection, now: datetime) -> T:
        toggle = Toggle(actor=ACTOR, norms=norms(settings), now=now, reason=reason)
        return await verb(db, await sources.find_by_url(db, url), toggle)

    return in_transaction(settings, work)
