"""One action for many sources, named by their ids or by what they have in common, in chunks of a transaction each."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum
from typing import Any, NamedTuple

from lamplighter.errors import BadInput, LamplighterError, NotPossible
from lamplighter.model.source import Source
from lamplighter.operations.jobs import jobs
from lamplighter.operations.runs import runs
from lamplighter.operations.sources import source_edits, sources
from lamplighter.operations.sources.source_edits import SourceChangeContext
from lamplighter.operations.sources.source_input import MOST_PAGES, checked_tags, within
from lamplighter.store.alerts import troubled_sources
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.jobs import crawl_jobs
from lamplighter.store.sources import source_bulk, source_lists, tags
from lamplighter.store.sources.source_bulk import SourceEdit
from lamplighter.store.sources.source_lists import SourceFilter

#: the most sources that may be named one by one
MOST_IDS = 10_000
#: sources changed in one transaction; of what is more than a change, fewer
_CHUNK, _SMALL_CHUNK = 500, 50
_LOOK_UP = 1_000
#: refusals that are listed one by one; beyond that they are only counted
_MOST_REFUSALS = 1_000


class BulkAction(StrEnum):
    """What can be done with many sources at once."""

    ENABLE = "enable"
    DISABLE = "disable"
    DELETE = "delete"
    RESTORE = "restore"
    ADD_TAG = "add_tag"
    REMOVE_TAG = "remove_tag"
    SET_PRIORITY = "set_priority"
    PAUSE = "pause"
    STOP = "stop"
    RESUME = "resume"
    RUN = "run"
    SET_MAX_PAGES = "set_max_pages"
    #: gives a source the URL to which its start page redirects for good
    FOLLOW_REDIRECT = "follow_redirect"


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkOrder:
    """What is to be done with which sources."""

    action: BulkAction
    #: public ids; None takes the filter
    ids: Sequence[str] | None = None
    which: SourceFilter | None = None
    #: for add_tag and remove_tag
    tag: str = ""
    #: for set_priority
    priority: int | None = None
    #: for set_max_pages: of each run
    max_pages: int | None = None
    #: how long a run may take that is opened
    deadline: timedelta = timedelta(hours=1)


class SourceRefusal(NamedTuple):
    """A source with which it could not be done, and why."""

    id: str
    code: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkReport:
    """What became of it: matched = changed + unchanged + refused."""

    matched: int
    changed: int = 0
    #: it was so already
    unchanged: int = 0
    refused: int = 0
    #: the first of them
    refusals: Sequence[SourceRefusal] = ()


class _Done(NamedTuple):
    """What became of one chunk."""

    changed: int
    refusals: list[SourceRefusal]


async def bulk(db: Database, order: BulkOrder, context: SourceChangeContext) -> BulkReport:
    """Does it, chunk by chunk; what is done stays done when a later chunk fails."""
    _check(order)
    ids, refusals = await _chosen(db, order)
    matched, changed = len(ids) + len(refusals), 0
    size = _SMALL_CHUNK if order.action in _ONE_BY_ONE else _CHUNK
    for start in range(0, len(ids), size):
        some = ids[start : start + size]
        done = await db.write(lambda connection, some=some: _do(connection, some, order, context))  # type: ignore[misc]
        changed += done.changed
        refusals += done.refusals
    return BulkReport(
        matched=matched,
        changed=changed,
        unchanged=matched - changed - len(refusals),
        refused=len(refusals),
        refusals=refusals[:_MOST_REFUSALS],
    )


async def preview(db: Database, order: BulkOrder) -> BulkReport:
    """How many sources it would concern; changes nothing."""
    _check(order)
    ids, unknown = await _chosen(db, order)
    return BulkReport(matched=len(ids) + len(unknown), refused=len(unknown), refusals=unknown[:_MOST_REFUSALS])


def _check(order: BulkOrder) -> None:
    if (order.ids is None) == (order.which is None):
        raise BadInput("name the sources: either ids or filter", field="ids")
    if order.ids is not None and len(order.ids) > MOST_IDS:
        raise BadInput(f"{len(order.ids)} ids are too many; name up to {MOST_IDS}, or use a filter", field="ids")
    if order.action in (BulkAction.ADD_TAG, BulkAction.REMOVE_TAG):
        if not order.tag.strip():
            raise BadInput(f"{order.action} needs a tag", field="tag")
        checked_tags([order.tag])
    if order.action is BulkAction.SET_PRIORITY and order.priority is None:
        raise BadInput("set_priority needs a priority: low, normal, high, critical, or 0 to 100", field="priority")
    if order.action is BulkAction.SET_MAX_PAGES:
        if order.max_pages is None:
            raise BadInput("set_max_pages needs max_pages: the most pages of a run", field="max_pages")
        within("max_pages", order.max_pages, 1, MOST_PAGES)


async def _chosen(db: Database, order: BulkOrder) -> tuple[list[int], list[SourceRefusal]]:
    """The ids, all of them before anything is changed: what was done must not change what is still to be done."""
    if order.which is None:
        return await _named(db, list(dict.fromkeys(order.ids or ())))
    which = order.which
    if order.action is BulkAction.RESTORE and which.deleted is False:
        which = replace(which, deleted=True)
    ids: list[int] = []
    while True:
        async with db.read() as connection:
            more = await source_lists.ids_after(connection, which, ids[-1] if ids else 0, limit=10 * _LOOK_UP)
        if not more:
            return ids, []
        ids += more


async def _named(db: Database, public_ids: list[str]) -> tuple[list[int], list[SourceRefusal]]:
    known: dict[str, int] = {}
    for start in range(0, len(public_ids), _LOOK_UP):
        async with db.read() as connection:
            known |= await source_bulk.ids_of(connection, public_ids[start : start + _LOOK_UP])
    missing = [public_id for public_id in public_ids if public_id not in known]
    unknown = [SourceRefusal(public_id, "source_not_found", f"there is no source {public_id}") for public_id in missing]
    return sorted(known.values()), unknown


async def _do(db: Connection, ids: Sequence[int], order: BulkOrder, context: SourceChangeContext) -> _Done:
    """One chunk; every verb refuses before it writes, so that what is refused leaves nothing behind."""
    held = await source_bulk.lock(db, ids)
    labels = await tags.of_sources(db, ids) if order.action in _LABELLED else {}
    with_job = await _with_job(db, ids) if order.action is BulkAction.ENABLE else set()
    edits: list[SourceEdit] = []
    changed, refusals = 0, []
    for source in held:
        try:
            if order.action in _ONE_BY_ONE:
                source_edits.refuse_deleted(source)
                await _act(db, source, order, context)
                changed += 1
            elif order.action is BulkAction.ENABLE:
                if not source.enabled or source.deleted_at or source.id not in with_job:
                    edits.append(source_edits.enabling(source, context))
            elif (edit := _edit(source, order, context, labels.get(source.id, []))) is not None:
                edits.append(edit)
        except LamplighterError as error:
            refusals.append(SourceRefusal(source.public_id, error.code, str(error)))
    await source_bulk.write(db, edits, stamp=context.stamp, action=f"source.{order.action}")
    edited = [edit.source.id for edit in edits]
    if order.action is BulkAction.ADD_TAG:
        await tags.label(db, edited, order.tag.strip())
    elif order.action is BulkAction.REMOVE_TAG:
        await tags.unlabel(db, edited, order.tag.strip())
    return _Done(changed + len(edits), refusals)


async def _with_job(db: Connection, ids: Sequence[int]) -> set[int]:
    """Those that have a crawl job: to enable one that has none is to ask for it, also where a person deleted it."""
    return {source_id for source_id, job in (await crawl_jobs.of_sources(db, ids)).items() if job.deleted_at is None}


def _edit(source: Source, order: BulkOrder, context: SourceChangeContext, labels: Sequence[str]) -> SourceEdit | None:
    """What is to be written into one source; None when it is so already. The job follows when the event is handled."""
    match order.action:
        case BulkAction.DISABLE:
            return source_edits.disabling(source, context) if source.enabled or source.deleted_at else None
        case BulkAction.DELETE:
            return None if source.deleted_at else source_edits.deleting(source, context)
        case BulkAction.RESTORE:
            return source_edits.restoring(source, context) if source.deleted_at else None
        case BulkAction.SET_PRIORITY if order.priority is not None:
            edit = source_edits.prioritising(source, order.priority)
            return edit if source.priority != order.priority else None
    tag = order.tag.strip()
    others = [label for label in labels if label != tag]
    wanted = sorted([*others, tag]) if order.action is BulkAction.ADD_TAG else others
    checked_tags(wanted)
    edit = source_edits.labelling(source, before=labels, after=wanted)
    return edit if wanted != list(labels) else None


async def _act(db: Connection, source: Source, order: BulkOrder, context: SourceChangeContext) -> None:
    stamp = context.stamp
    match order.action:
        case BulkAction.PAUSE:
            await jobs.pause(db, await jobs.find(db, source.url), stamp=stamp)
        case BulkAction.STOP:
            await jobs.stop(db, await jobs.find(db, source.url), stamp=stamp)
        case BulkAction.RESUME:
            await jobs.resume(db, await jobs.find(db, source.url), stamp=stamp)
        case BulkAction.SET_MAX_PAGES:
            await _change(db, source, context, max_pages=order.max_pages)
        case BulkAction.FOLLOW_REDIRECT:
            await _change(db, source, context, url=await _target(db, source))
        case _:
            defaults = context.source_defaults
            await runs.run_now(db, source.id, now=stamp.now, deadline=order.deadline, source_defaults=defaults)


async def _change(db: Connection, source: Source, context: SourceChangeContext, **fields: Any) -> None:
    await sources.change(
        db,
        source,
        lambda submitted: replace(submitted, **fields),
        source_defaults=context.source_defaults,
        stamp=context.stamp,
    )


async def _target(db: Connection, source: Source) -> str:
    """Where the start page of a source redirects to for good."""
    target = (await troubled_sources.moved_to(db, [source.id])).get(source.id)
    if target is None:
        raise NotPossible(f"{source.url} did not redirect for good (301, 308) when it was last fetched")
    return target


_LABELLED = (BulkAction.ADD_TAG, BulkAction.REMOVE_TAG)
#: what depends on where each job stands, and is done one by one
_ONE_BY_ONE = (
    *(BulkAction.PAUSE, BulkAction.STOP, BulkAction.RESUME, BulkAction.RUN),
    *(BulkAction.SET_MAX_PAGES, BulkAction.FOLLOW_REDIRECT),
)
