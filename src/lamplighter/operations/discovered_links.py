"""Discovered links: pages that were found on other pages, and what may be made of them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from lamplighter.crawl.norms import Norms
from lamplighter.errors import NotFound, NotPossible
from lamplighter.model.crawl import CrawlJob
from lamplighter.model.page import IGNORED, Phase, Stage
from lamplighter.operations import frontier, sources, task_actions, task_lists
from lamplighter.operations.frontier import Which
from lamplighter.operations.source_wish import NewSource
from lamplighter.rules import link_score
from lamplighter.rules.link_score import Score
from lamplighter.store import audit_log, crawl_jobs, page_changes, page_lists, page_orders, pages
from lamplighter.store import sources as stored
from lamplighter.store.database import Connection
from lamplighter.store.sources import SourceRow


class LinkState(StrEnum):
    """What became of a link."""

    #: nobody has said anything
    NEW = "new"
    #: a source of its own
    WATCHED = "watched"
    #: somebody said that it leads nowhere
    IGNORED = "ignored"


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
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

    links: Sequence[Link]
    total: int
    #: False when there are more than anybody wants to count, or may be more among those not looked at
    is_exact: bool
    #: False when a text was looked for among the newest pages alone
    is_whole: bool = True


async def listed(
    db: Connection, which: Which, state: LinkState | None, *, limit: int, offset: int, now: datetime
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
            wanted = replace(wanted, stages=[Stage.PAUSED], reasons={IGNORED})
    found = await task_lists.listed(db, wanted, limit=limit, offset=offset, now=now)
    links = await _judged(db, found.rows, now=now)
    return Links(links=links, total=found.total, is_exact=found.is_exact, is_whole=found.is_whole)


async def judged(db: Connection, page_id: int, *, now: datetime) -> Link:
    """The link with this id and its score."""
    return (await _judged(db, [await one(db, page_id, now=now)], now=now))[0]


async def one(db: Connection, page_id: int, *, now: datetime) -> Any:
    """The link with this id; a page that was found on no other is none."""
    page = await page_lists.one(db, page_id, now=now)
    if page is None or page.found_on is None:
        raise NotFound("there is no such discovered link", code="link_not_found")
    return page


async def watch(
    db: Connection, page_id: int, *, name: str | None, norms: Norms, actor: str, now: datetime, kind: str | None = None
) -> tuple[CrawlJob, SourceRow]:
    """Makes a source of a link, which is crawled from then on; returns its crawl job and the source."""
    page = await one(db, page_id, now=now)
    new = NewSource(url=page.url, name=name, kind=kind)
    source_id = await sources.create(db, new, norms=norms, actor=actor, now=now)
    job, source = await crawl_jobs.of_source(db, source_id), await stored.get(db, source_id)
    assert job is not None
    assert source is not None
    return job, source


async def ignore(db: Connection, page_id: int, *, actor: str, now: datetime) -> None:
    """Leaves a link alone, however often a crawl finds it, until somebody has it asked for again."""
    await one(db, page_id, now=now)
    page = await task_actions.find(db, page_id, now=now)
    if page.phase == Phase.PAUSED and page.reason == IGNORED:
        return
    await page_changes.leave(db, page.id, phase=Phase.PAUSED, reason=IGNORED, detail=f"ignored by {actor}")
    await page_orders.withdraw(db, page.id)
    await _note(db, page, "ignore", actor=actor, now=now)


async def notice(db: Connection, page_id: int, *, actor: str, now: datetime) -> None:
    """Takes an ignored link up again: it is asked for in its host's turn."""
    page = await one(db, page_id, now=now)
    if page.reason != IGNORED:
        raise NotPossible(f"{page.url} is not ignored, so it need not be taken up again", code="not_ignored")
    await task_actions.restart(db, page_id, task_actions.Again(), actor=actor, now=now)


async def _note(db: Connection, page: Any, action: str, *, actor: str, now: datetime) -> None:
    before = {"url": page.url, "phase": page.phase}
    subject = f"task {page.id}"
    await audit_log.write(db, actor=actor, action=f"link.{action}", subject=subject, now=now, before=before)


async def _judged(db: Connection, rows: Sequence[Any], *, now: datetime) -> list[Link]:
    known = await pages.known(db, {row.url_key for row in rows})
    watched = await page_lists.watched_urls(db, {row.url for row in rows})
    return [
        Link(
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
