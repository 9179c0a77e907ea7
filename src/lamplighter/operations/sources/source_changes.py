"""Recent changes in the records of a source, field by field."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from lamplighter.errors import NotFound
from lamplighter.rules.change.differences import Difference
from lamplighter.store.engine.database import Connection
from lamplighter.store.runs import run_lists
from lamplighter.store.sources import source_changes
from lamplighter.store.sources.source_changes import ChangeKey, SourceChangeCounts

#: the field that says whether a record is there at all
STATE = "state"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordChange:
    """A record that read differently from one moment on, or was gone."""

    public_id: str
    title: str
    url: str
    kind: str
    at: datetime
    #: the run that saw it, and its number among those of the source; None when the run is forgotten
    run_id: str | None
    run_number: int | None
    fields: tuple[Difference, ...]

    @property
    def is_gone(self) -> bool:
        """Whether the record was no longer there."""
        return any(each.field == STATE and each.after == "gone" for each in self.fields)


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """A part of the changes, and what is known of the whole."""

    changes: list[RecordChange]
    total: int
    #: False for a source with so many records that only the newest changes of all sources were looked at
    is_whole: bool


async def counts(db: Connection, source_id: int, *, since: datetime) -> SourceChangeCounts:
    """How many records came, changed and went since then."""
    after = await source_changes.not_looked_at(db, source_id)
    return await source_changes.counts(db, source_id, since=since, after=after)


async def latest(db: Connection, source_id: int, *, run: str | None = None, limit: int, offset: int) -> Changes:
    """The latest changes, and how many are known; `run`, by its public id, asks for those that it saw."""
    run_id = await _run_id(db, source_id, run) if run is not None else None
    after = await source_changes.not_looked_at(db, source_id)
    keys, total = await source_changes.changes(db, source_id, run_id=run_id, limit=limit, offset=offset, after=after)
    by_key: dict[ChangeKey, list[Any]] = {key: [] for key in keys}
    for line in await source_changes.lines_of(db, keys) if keys else ():
        by_key.get(ChangeKey(line.record_id, line.at), []).append(line)
    changes = [_change(lines) for lines in by_key.values() if lines]
    return Changes(changes=changes, total=total, is_whole=after is None)


async def _run_id(db: Connection, source_id: int, public_id: str) -> int:
    run = await run_lists.by_public_id(db, public_id)
    if run is None or run.source_id != source_id:
        raise NotFound(f"this source has no run {public_id}", code="execution_not_found")
    return int(run.id)


def _change(lines: Sequence[Any]) -> RecordChange:
    first = lines[0]
    return RecordChange(
        **{name: getattr(first, name) for name in ("public_id", "title", "url", "kind", "at", "run_number")},
        run_id=first.run_public_id,
        fields=tuple(Difference(line.field, line.before, line.after) for line in lines),
    )
