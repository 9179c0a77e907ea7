"""The history of one page: discovery, versions, records, actions, next visit."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from lamplighter.model.page import Phase
from lamplighter.model.reading import PageRole
from lamplighter.model.visit import Validators
from lamplighter.operations.pages import frontier
from lamplighter.rules.change import revisit_delay
from lamplighter.rules.change.belief import LONGEST_GAP
from lamplighter.store.access import audit_log
from lamplighter.store.access.audit_log import AuditEntry
from lamplighter.store.engine.database import Connection
from lamplighter.store.pages import page_revisits, page_validators, page_versions
from lamplighter.store.pages.page_versions import Version
from lamplighter.store.proxies import proxy_lists
from lamplighter.store.records import sightings
from lamplighter.store.records.sightings import OnPage
from lamplighter.store.runs import run_log
from lamplighter.store.runs.run_log import RunLogLine

_SHOWN_VERSIONS = 10
_SHOWN_RECORDS = 25
_SHOWN_EVENTS = 30
#: runs of its source that are looked through for what they wrote of the page
_RUNS_READ = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class PageMoment:
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
    #: the proxy of the last request; None for a direct one, or if that proxy was removed
    exit: str | None
    #: for the next conditional request
    validators: Validators
    #: end of its revisit delay; None if it has none
    revisit_from: datetime | None
    #: how often it seems to change; None before the second visit
    changes_every: timedelta | None
    #: the latest first, and how many there are
    versions: Sequence[Version]
    version_count: int
    records: Sequence[OnPage]
    record_count: int
    #: the latest first
    moments: Sequence[PageMoment]


async def of_page(db: Connection, page_id: int, *, now: datetime) -> PageLife:
    """The life of this page; NotFound when there is none."""
    page = await frontier.one(db, page_id, now=now)
    versions, version_count = await page_versions.of_page(db, page_id, limit=_SHOWN_VERSIONS, offset=0)
    records, record_count = await sightings.on_page(db, page_id, limit=_SHOWN_RECORDS)
    entries = await audit_log.listed(
        db, audit_log.AuditFilter(subject=f"task {page_id}"), limit=_SHOWN_EVENTS, offset=0
    )
    lines = await run_log.about(db, page.source_id, page.url, runs=_RUNS_READ, limit=_SHOWN_EVENTS)
    moments = sorted(_moments(page, versions, entries, lines), key=lambda moment: moment.at, reverse=True)
    return PageLife(
        page=page,
        exit=(await proxy_lists.labels(db, [page.proxy_id])).get(page.proxy_id) if page.proxy_id else None,
        validators=page_validators.of_row(page),
        revisit_from=revisit_from(page),
        changes_every=_changes_every(page),
        versions=versions,
        version_count=version_count,
        records=records,
        record_count=record_count,
        moments=moments[:_SHOWN_EVENTS],
    )


def revisit_from(page: Any) -> datetime | None:
    """The end of a page's revisit delay; None if the page is queued, or has no such delay."""
    if page.role != PageRole.LINK or page.phase != Phase.COMPLETED:
        return None
    return revisit_delay.ends_at(page_revisits.revisit_of(page), fetched_at=page.fetched_at)


def _changes_every(page: Any) -> timedelta | None:
    belief = page_revisits.revisit_of(page).belief
    return timedelta(hours=min(1 / belief.rate, LONGEST_GAP)) if belief is not None else None


def _moments(
    page: Any, versions: Sequence[Version], entries: Sequence[AuditEntry], lines: Sequence[RunLogLine]
) -> Iterator[PageMoment]:
    yield PageMoment(at=page.created_at, what="found" if page.found_on else "discovered", detail=page.parent_url or "")
    for version in versions:
        what = f"response {version.status} with {'its first body' if version.number == 1 else 'a changed body'}"
        yield PageMoment(at=version.fetched_at, what=what, detail=f"version {version.number}")
    if page.fetched_at is not None and all(version.fetched_at != page.fetched_at for version in versions):
        # With a trouble since then, the status is of that.
        answered = f"response {page.status}" if page.reason is None else "answered"
        yield PageMoment(at=page.fetched_at, what=f"{answered}, unchanged")
    for entry in entries:
        what = entry.action.partition(".")[2].replace("_", " ")
        yield PageMoment(at=entry.at, what=what, detail=f"by {entry.actor}")
    for line in lines:
        yield PageMoment(at=line.at, what=line.category, detail=line.message, is_bad=line.level in ("warning", "error"))
