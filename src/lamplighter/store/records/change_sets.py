"""SQL about change sets: what runs changed, who has read it, and the records of one set."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.model.record_search import ChangeCounts, ChangeFilter, ChangeKind, ChangeSet, Term
from lamplighter.store.engine.database import Connection
from lamplighter.store.engine.upsert import insert
from lamplighter.store.records import record_text
from lamplighter.store.schema.tables import (
    change_marks,
    change_readers,
    change_sets,
    crawl_runs,
    record_changes,
    records,
    source_tags,
    sources,
)

#: the most records with the wanted words whose sets are looked for: the newest
MOST_WITH_WORDS = 5_000
#: counts of unread sets stop here
MOST_UNREAD = 99
_BECAME = sa.cast(record_changes.c.after, sa.Text)
_IS_STATE = record_changes.c.field == "state"


class SetKey(NamedTuple):
    """What finds the records of a set."""

    id: int
    source_id: int
    run_id: int | None
    began_at: datetime
    at: datetime
    newest_record_id: int | None


# ── writing ──────────────────────────────────────────────────────────────────────────────────────────────────────────

_WAS_KNOWN = records.c.first_seen_at < sa.bindparam("began")
_TURNS = (
    sa.select(
        sa.func.count(sa.distinct(sa.case((sa.and_(~_IS_STATE, _WAS_KNOWN), records.c.id)))).label("changed"),
        sa.func.count(sa.distinct(sa.case((sa.and_(_IS_STATE, _BECAME == '"gone"'), records.c.id)))).label("gone"),
        sa.func.count(sa.distinct(sa.case((sa.and_(_IS_STATE, _BECAME == '"present"'), records.c.id)))).label("back"),
    )
    .select_from(record_changes)
    .join(records, records.c.id == record_changes.c.record_id)
    .where(record_changes.c.run_id == sa.bindparam("run"))
)
_NEWEST = sa.select(sa.func.max(records.c.id)).where(records.c.source_id == sa.bindparam("source"))


async def note_run(
    db: Connection, run_id: int, *, source_id: int, began_at: datetime, new: int, is_baseline: bool, now: datetime
) -> None:
    """Writes the set of a run that has ended; none for a run that changed nothing."""
    turns = (await db.execute(_TURNS, {"run": run_id, "began": began_at})).one()
    counts = ChangeCounts(new, turns.changed, turns.gone, turns.back)
    if not any(counts):
        return
    newest = await db.scalar(_NEWEST, {"source": source_id})
    origin = {"source_id": source_id, "run_id": run_id, "began_at": began_at, "at": now}
    values = origin | counts._asdict() | {"is_baseline": is_baseline, "newest_record_id": newest}
    await db.execute(sa.insert(change_sets).values(**values))


async def note_expiry(db: Connection, *, now: datetime) -> None:
    """Writes the sets of the sources with records that expired at this time, without a run."""
    when = sa.literal(now, change_sets.c.at.type)
    expired = (
        sa.select(records.c.source_id, when.label("began_at"), when.label("at"), sa.func.count().label("gone"))
        .join(record_changes, record_changes.c.record_id == records.c.id)
        .where(record_changes.c.run_id.is_(None), record_changes.c.at == now, _IS_STATE)
        .group_by(records.c.source_id)
    )
    await db.execute(sa.insert(change_sets).from_select(["source_id", "began_at", "at", "gone"], expired))


# ── reading ──────────────────────────────────────────────────────────────────────────────────────────────────────────


async def page(
    db: Connection, wanted: ChangeFilter, *, reader: str, before: int | None = None, limit: int
) -> list[tuple[SetKey, ChangeSet]]:
    """The newest sets that match, and before the set `before`."""
    read_to, mark = _read_to(reader), change_marks.alias()
    is_read = sa.func.coalesce(mark.c.is_read, change_sets.c.id <= read_to)
    is_starred = sa.func.coalesce(mark.c.is_starred, sa.false())
    query = (
        sa.select(
            change_sets,
            sources.c.public_id.label("source_public_id"),
            sources.c.name.label("source_name"),
            crawl_runs.c.public_id.label("run_public_id"),
            crawl_runs.c.number.label("run_number"),
            is_read.label("is_read"),
            is_starred.label("is_starred"),
        )
        .join(sources, sources.c.id == change_sets.c.source_id)
        .outerjoin(crawl_runs, crawl_runs.c.id == change_sets.c.run_id)
        .outerjoin(mark, sa.and_(mark.c.set_id == change_sets.c.id, mark.c.reader == reader))
        .where(sources.c.deleted_at.is_(None), *_matching(db.dialect.name, wanted))
    )
    if wanted.unread_by is not None:
        query = query.where(~is_read)
    if wanted.starred_by is not None:
        query = query.where(is_starred)
    if before is not None:
        last = sa.select(change_sets.c.at).where(change_sets.c.id == before).scalar_subquery()
        is_earlier = sa.or_(change_sets.c.at < last, sa.and_(change_sets.c.at == last, change_sets.c.id < before))
        # The first condition alone lets the index begin there.
        query = query.where(change_sets.c.at <= last, is_earlier)
    rows = await db.execute(query.order_by(change_sets.c.at.desc(), change_sets.c.id.desc()).limit(limit))
    return [(_key(row), _set(row)) for row in rows]


async def unread(db: Connection, reader: str) -> int:
    """How many sets somebody has not read, up to MOST_UNREAD + 1."""
    read_to = _read_to(reader)
    mine = sa.select(change_marks.c.set_id).where(change_marks.c.reader == reader)
    later = sa.select(change_sets.c.id).where(change_sets.c.id > read_to)
    later = later.where(change_sets.c.id.not_in(mine.where(change_marks.c.is_read.is_not(None))))
    some = later.union_all(mine.where(change_marks.c.is_read.is_(sa.false()))).limit(MOST_UNREAD + 1).subquery()
    return int(await db.scalar(sa.select(sa.func.count()).select_from(some)))


async def with_words(db: Connection, terms: Sequence[Term]) -> set[int]:
    """The newest records with one of these terms, up to MOST_WITH_WORDS."""
    return set(await db.scalars(_newest_with(db.dialect.name, terms)))


def _newest_with(dialect: str, terms: Sequence[Term]) -> sa.Select[tuple[int]]:
    found = record_text.ids_with(dialect, terms, any_of_them=True)
    return found.order_by(sa.desc("id")).limit(MOST_WITH_WORDS)


async def new_records(db: Connection, keys: Iterable[SetKey], *, limit: int) -> list[Any]:
    """The newest of the records that the runs of some sets found first: set_id, id, public_id, title, url, kind."""
    parts = [
        sa.select(sa.literal(key.id).label("set_id"), *_SHOWN)
        .where(
            records.c.source_id == key.source_id,
            records.c.id <= key.newest_record_id,
            records.c.first_seen_at >= key.began_at,
        )
        .order_by(records.c.id.desc())
        .limit(limit)
        for key in keys
        if key.newest_record_id is not None
    ]
    return await _all(db, parts)


async def changed_lines(db: Connection, keys: Iterable[SetKey], kind: ChangeKind | None, *, limit: int) -> list[Any]:
    """The changed fields of some sets, in their order: the columns of `new_records`, and field, before, after."""
    parts = [
        sa.select(sa.literal(key.id).label("set_id"), *_SHOWN, *_CHANGE)
        .select_from(record_changes)
        .join(records, records.c.id == record_changes.c.record_id)
        .where(*_lines_of(key), *_kinds(key, kind))
        .order_by(record_changes.c.id)
        .limit(limit)
        for key in keys
    ]
    return await _all(db, parts)


async def _all(db: Connection, parts: Sequence[sa.Select[Any]]) -> list[Any]:
    """The rows of all parts, in one statement: each has an order and a limit of its own."""
    if not parts:
        return []
    alone = [sa.select(part.subquery()) for part in parts]
    return list((await db.execute(sa.union_all(*alone))).all())


def _lines_of(key: SetKey) -> list[Any]:
    is_of_source = records.c.source_id == key.source_id
    if key.run_id is not None:
        return [is_of_source, record_changes.c.run_id == key.run_id]
    return [is_of_source, record_changes.c.run_id.is_(None), record_changes.c.at == key.at]


_CHANGE = tuple(record_changes.c[name] for name in ("field", "before", "after"))
_SHOWN = tuple(records.c[name] for name in ("id", "public_id", "title", "url", "kind"))


def _kinds(key: SetKey, kind: ChangeKind | None) -> list[Any]:
    """Which lines are of this kind; a record that the run found first is new, whatever it read on its next page."""
    was_known = records.c.first_seen_at < key.began_at
    match kind:
        case None:
            return [sa.or_(_IS_STATE, was_known)]
        case ChangeKind.NEW:
            return [sa.false()]
        case ChangeKind.CHANGED:
            return [~_IS_STATE, was_known]
        case ChangeKind.GONE:
            return [_IS_STATE, _BECAME == '"gone"']
        case ChangeKind.BACK:
            return [_IS_STATE, _BECAME == '"present"']


def _matching(dialect: str, wanted: ChangeFilter) -> list[Any]:
    found: list[Any] = []
    if wanted.set_id is not None:
        found.append(change_sets.c.id == wanted.set_id)
    if wanted.source_id is not None:
        found.append(sources.c.public_id == wanted.source_id)
    if wanted.tag is not None:
        tagged = sa.select(source_tags.c.source_id).where(source_tags.c.tag == wanted.tag)
        found.append(change_sets.c.source_id.in_(tagged))
    if wanted.kind is not None:
        found.append(change_sets.c[wanted.kind] > 0)
    if wanted.since is not None:
        found.append(change_sets.c.at >= wanted.since)
    if wanted.terms:
        found.append(_has_words(dialect, wanted.terms, wanted.kind))
    return found


def _has_words(dialect: str, terms: Sequence[Term], kind: ChangeKind | None) -> Any:
    """Whether a record of the set has one of the words: found from the records, which the text index gives."""
    newest = sa.select(_newest_with(dialect, terms).cte("with_words").c.id)
    first = change_sets.alias()
    # Its source's first set from then on is that of the run that found it.
    whose = sa.and_(first.c.source_id == records.c.source_id, first.c.at >= records.c.first_seen_at)
    found_by = sa.select(first.c.id).where(whose).order_by(first.c.at).limit(1).correlate(records).scalar_subquery()
    by_new = change_sets.c.id.in_(sa.select(found_by).where(records.c.id.in_(newest)))
    lines = sa.select(record_changes.c.run_id).where(record_changes.c.record_id.in_(newest))
    match kind:
        case ChangeKind.NEW:
            return by_new
        case None:
            return sa.or_(by_new, change_sets.c.run_id.in_(lines.where(record_changes.c.run_id.is_not(None))))
    is_state = ~_IS_STATE if kind is ChangeKind.CHANGED else _IS_STATE
    return change_sets.c.run_id.in_(lines.where(record_changes.c.run_id.is_not(None), is_state))


def _key(row: Any) -> SetKey:
    return SetKey(*(getattr(row, name) for name in SetKey._fields))


def _set(row: Any) -> ChangeSet:
    return ChangeSet(
        id=row.id,
        source_id=row.source_public_id,
        source_name=row.source_name,
        run_id=row.run_public_id,
        run_number=row.run_number,
        at=row.at,
        counts=ChangeCounts(*(getattr(row, name) for name in ChangeCounts._fields)),
        is_baseline=row.is_baseline,
        is_read=bool(row.is_read),
        is_starred=bool(row.is_starred),
    )


# ── readers ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def _read_to(reader: str) -> sa.ColumnElement[int]:
    mine = sa.select(change_readers.c.read_to).where(change_readers.c.reader == reader)
    return sa.func.coalesce(mine.scalar_subquery(), 0)


async def exists(db: Connection, set_id: int) -> bool:
    """Whether there is such a set."""
    return await db.scalar(sa.select(change_sets.c.id).where(change_sets.c.id == set_id)) is not None


async def mark(db: Connection, reader: str, set_id: int, **marks: bool) -> None:
    """Marks a set as read (is_read) or starred (is_starred) by somebody, or no longer so."""
    new = insert(db, change_marks).values(reader=reader, set_id=set_id, **marks)
    await db.execute(new.on_conflict_do_update(index_elements=["reader", "set_id"], set_=marks))


async def read_all(db: Connection, reader: str, *, to: int) -> None:
    """Marks all sets up to this one as read by somebody."""
    new = insert(db, change_readers).values(reader=reader, read_to=to)
    later = change_readers.c.read_to < to
    await db.execute(new.on_conflict_do_update(index_elements=["reader"], set_={"read_to": to}, where=later))
    mine = sa.and_(change_marks.c.reader == reader, change_marks.c.set_id <= to)
    await db.execute(sa.delete(change_marks).where(mine, ~change_marks.c.is_starred))
    await db.execute(sa.update(change_marks).where(mine).values(is_read=None))
