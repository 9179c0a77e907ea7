"""The life of one page: how it was found, what it answered and showed, what was done with it, what comes next."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from lamplighter.model.page import Phase
from lamplighter.model.reading import Role
from lamplighter.model.visit import Validators
from lamplighter.operations import frontier
from lamplighter.rules import page_rest
from lamplighter.rules.belief import LONGEST_GAP
from lamplighter.store import audit_log, page_rests, page_validators, page_versions, proxy_lists, run_log, sightings
from lamplighter.store.audit_log import Entry
from lamplighter.store.database import Connection
from lamplighter.store.page_versions import Version
from lamplighter.store.run_log import Line
from lamplighter.store.sightings import OnPage

_SHOWN_VERSIONS = 10
_SHOWN_RECORDS = 25
_SHOWN_EVENTS = 30
#: runs of its source that are looked through for what they wrote of the page
_RUNS_READ = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """Something that happened to the page."""

    at: datetime
    what: str
    detail: str = ""
    #: whether it was a trouble
    is_bad: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PageLife:
    """All of it."""

    #: the page with what surrounds it (see store.page_lists)
    page: Any
    #: the proxy through which it was last asked for; None when directly, or when that proxy is no more
    exit: str | None
    #: by which it can be asked for again
    validators: Validators
    #: until when it is left alone though it is linked; None when it is not
    rests_until: datetime | None
    #: how often it seems to change; None before the second visit
    changes_every: timedelta | None
    #: the latest first, and how many there are
    versions: Sequence[Version]
    version_count: int
    records: Sequence[OnPage]
    record_count: int
    #: the latest first
    moments: Sequence[Moment]


async def of_page(db: Connection, page_id: int, *, now: datetime) -> PageLife:
    """The life of this page; NotFound when there is none."""
    page = await frontier.one(db, page_id, now=now)
    versions, version_count = await page_versions.of_page(db, page_id, limit=_SHOWN_VERSIONS, offset=0)
    records, record_count = await sightings.on_page(db, page_id, limit=_SHOWN_RECORDS)
    entries = await audit_log.listed(db, audit_log.Wanted(subject=f"task {page_id}"), limit=_SHOWN_EVENTS, offset=0)
    lines = await run_log.about(db, page.source_id, page.url, runs=_RUNS_READ, limit=_SHOWN_EVENTS)
    moments = sorted(_moments(page, versions, entries, lines), key=lambda moment: moment.at, reverse=True)
    return PageLife(
        page=page,
        exit=(await proxy_lists.labels(db, [page.proxy_id])).get(page.proxy_id) if page.proxy_id else None,
        validators=page_validators.of_row(page),
        rests_until=rests_until(page),
        changes_every=_changes_every(page),
        versions=versions,
        version_count=version_count,
        records=records,
        record_count=record_count,
        moments=moments[:_SHOWN_EVENTS],
    )


def rests_until(page: Any) -> datetime | None:
    """Until when a page is not asked for again just because it is linked; None when it is in line, or never rests."""
    if page.role != Role.LINK or page.phase != Phase.COMPLETED:
        return None
    return page_rest.ends_at(page_rests.rest_of(page), fetched_at=page.fetched_at)


def _changes_every(page: Any) -> timedelta | None:
    belief = page_rests.rest_of(page).belief
    return timedelta(hours=min(1 / belief.rate, LONGEST_GAP)) if belief is not None else None


def _moments(
    page: Any, versions: Sequence[Version], entries: Sequence[Entry], lines: Sequence[Line]
) -> Iterator[Moment]:
    yield Moment(at=page.created_at, what="found" if page.found_on else "became known", detail=page.parent_url or "")
    for version in versions:
        what = f"answered {version.status} with {'its first body' if version.number == 1 else 'another body'}"
        yield Moment(at=version.fetched_at, what=what, detail=f"version {version.number}")
    if page.fetched_at is not None and all(version.fetched_at != page.fetched_at for version in versions):
        # With a trouble since then, the status is of that.
        answered = f"answered {page.status}" if page.reason is None else "answered"
        yield Moment(at=page.fetched_at, what=f"{answered}, with nothing new")
    for entry in entries:
        what = entry.action.partition(".")[2].replace("_", " ")
        yield Moment(at=entry.at, what=what, detail=f"by {entry.actor}")
    for line in lines:
        yield Moment(at=line.at, what=line.category, detail=line.message, is_bad=line.level in ("warning", "error"))
