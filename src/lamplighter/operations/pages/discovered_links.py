"""Discovered links: list, watch, ignore."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from lamplighter.crawl.planning.source_defaults import SourceDefaults
from lamplighter.errors import NotFound, NotPossible
from lamplighter.model.access import Stamp
from lamplighter.model.crawl import CrawlJob
from lamplighter.model.page import IGNORED, PageStage, Phase
from lamplighter.model.source import Source
from lamplighter.operations.pages import frontier, task_actions, task_lists
from lamplighter.operations.pages.frontier import FrontierFilter
from lamplighter.operations.sources import sources
from lamplighter.operations.sources.source_fields import kind_of
from lamplighter.operations.sources.source_input import NewSource
from lamplighter.rules.urls import link_score
from lamplighter.rules.urls.link_score import Score
from lamplighter.store.access import audit_log
from lamplighter.store.engine.database import Connection
from lamplighter.store.jobs import crawl_jobs
from lamplighter.store.pages import page_actions, page_lists, pages, tasks
from lamplighter.store.sources import sources as stored


class LinkState(StrEnum):
    """What became of a link."""

    #: not yet judged by an operator
    NEW = "new"
    #: a source of its own
    WATCHED = "watched"
    #: an operator ignored it
    IGNORED = "ignored"


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscoveredLink:
    """A discovered link as people judge it."""

    #: the page with what surrounds it (see store.page_lists)
    page: Any
    state: LinkState
    score: Score
    #: the public id of the source that it became; None when it is none
    watched_by: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Links:
    """A part of them, and how many there are."""

    links: Sequence[DiscoveredLink]
    total: int
    #: False if counting stopped at a limit, or only the newest pages were searched
    is_exact: bool
    #: False when a text was looked for among the newest pages alone
    is_whole: bool = True


async def listed(
    db: Connection, which: FrontierFilter, state: LinkState | None, *, limit: int, offset: int, now: datetime
) -> Links:
    """A part of the links, the newest first, each with its score."""
    wanted = await frontier.wanted_of(db, replace(which, is_found=True))
    if wanted is None:
        return Links(links=[], total=0, is_exact=True)
    match state:
        case LinkState.NEW:
            wanted = replace(wanted, other_reasons={IGNORED}, is_watched=False)
        case LinkState.WATCHED:
            wanted = replace(wanted, is_watched=True)
        case LinkState.IGNORED:
            wanted = replace(wanted, stages=[PageStage.PAUSED], reasons={IGNORED})
    found = await task_lists.listed(db, wanted, limit=limit, offset=offset, now=now)
    links = await _judged(db, found.rows, now=now)
    return Links(links=links, total=found.total, is_exact=found.is_exact, is_whole=found.is_whole)


async def judged(db: Connection, page_id: int, *, now: datetime) -> DiscoveredLink:
    """The link with this id and its score."""
    return (await _judged(db, [await one(db, page_id, now=now)], now=now))[0]


async def one(db: Connection, page_id: int, *, now: datetime) -> Any:
    """The link with this id; a page that was found on no other is none."""
    page = await page_lists.one(db, page_id, now=now)
    if page is None or page.found_on is None:
        raise NotFound("there is no such discovered link", code="link_not_found")
    return page


async def watch(
    db: Connection,
    page_id: int,
    *,
    name: str | None,
    source_defaults: SourceDefaults,
    stamp: Stamp,
    kind: str | None = None,
) -> tuple[CrawlJob, Source]:
    """Makes a source of a link, which is crawled from then on; returns its crawl job and the source."""
    page = await one(db, page_id, now=stamp.now)
    new = NewSource(url=page.url, name=name or "", kind=kind_of(kind))
    source_id = await sources.create(db, new, source_defaults=source_defaults, stamp=stamp)
    job, source = await crawl_jobs.of_source(db, source_id), await stored.get(db, source_id)
    assert job is not None
    assert source is not None
    return job, source


async def ignore(db: Connection, page_id: int, *, stamp: Stamp) -> None:
    """Ignores a link, however often a crawl finds it, until an operator restarts it."""
    await one(db, page_id, now=stamp.now)
    page = await task_actions.find(db, page_id, now=stamp.now)
    if page.phase == Phase.PAUSED and page.reason == IGNORED:
        return
    await page_actions.leave(db, page.id, phase=Phase.PAUSED, reason=IGNORED, detail=f"ignored by {stamp.actor}")
    await tasks.withdraw(db, page.id)
    before = {"url": page.url, "phase": page.phase}
    await audit_log.write(db, stamp, "link.ignore", f"task {page.id}", before=before)


async def notice(db: Connection, page_id: int, *, stamp: Stamp) -> None:
    """Ends ignoring a link: it is fetched in its host's turn."""
    page = await one(db, page_id, now=stamp.now)
    if page.reason != IGNORED:
        raise NotPossible(f"{page.url} is not ignored", code="not_ignored")
    await task_actions.restart(db, page_id, task_actions.TaskRestart(), stamp=stamp)


async def _judged(db: Connection, rows: Sequence[Any], *, now: datetime) -> list[DiscoveredLink]:
    known = await pages.known(db, {row.url_key for row in rows})
    watched = await page_lists.watched_urls(db, {row.url for row in rows})
    return [
        DiscoveredLink(
            page=row,
            state=_state(row, is_watched=row.url in watched),
            score=link_score.score(
                status=row.status,
                content_type=row.content_type,
                source_count=len(known.get(row.url_key, {})),
                heard_of_at=max(row.created_at, row.fetched_at or row.created_at),
                now=now,
            ),
            watched_by=watched.get(row.url),
        )
        for row in rows
    ]


def _state(row: Any, *, is_watched: bool) -> LinkState:
    if is_watched:
        return LinkState.WATCHED
    is_ignored = row.phase == Phase.PAUSED and row.reason == IGNORED
    return LinkState.IGNORED if is_ignored else LinkState.NEW
