"""Decides which redirects of a run are followed, and why others are not."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from lamplighter.crawl.reading.link_admission import DiscoveredUrl
from lamplighter.model.page import Page, Phase
from lamplighter.model.reading import PageRole
from lamplighter.model.visit import Fault
from lamplighter.rules.pages import frontier
from lamplighter.rules.urls import urls
from lamplighter.store.engine.database import Connection
from lamplighter.store.pages import pages
from lamplighter.store.pages.pages import Downloaded
from lamplighter.store.runs import run_pages
from lamplighter.store.runs.crawl_runs import OpenRun


class DeadEnd(NamedTuple):
    """A page whose redirect is not followed, and why."""

    page: Page
    phase: Phase
    reason: str
    detail: str

    def row(self) -> dict[str, Any]:
        """The row to store."""
        return {"page": self.page.id, "phase": self.phase, "reason": self.reason, "detail": self.detail}


async def sorted_out(
    db: Connection, run: OpenRun, redirects: Sequence[tuple[Page, DiscoveredUrl]]
) -> tuple[list[DiscoveredUrl], list[DeadEnd]]:
    """Sorts out the targets to fetch: no loops, and no linked page that redirects off the source's sites."""
    seen = await run_pages.redirects_in_run(db, run.id)
    starts = (await pages.seed_urls(db, [run.source_id])).get(run.source_id, [])
    # A source of submitted pages has no start page: each of them stays on its own site.
    sites = {urls.parse(url).hostname for url in starts or [page.url for page, _ in redirects]}
    found, ends = [], []
    for page, item in redirects:
        target = urls.parse(item.url).hostname
        if frontier.leads_back(item.url, page.url, seen):
            detail = f"redirect loop: {item.url} leads back to {page.url}; the URL needs correcting"
            ends.append(DeadEnd(page, Phase.FAILED, str(Fault.TOO_MANY_REDIRECTS), detail))
        elif page.role is PageRole.LINK and not any(urls.same_site(target, site) for site in sites):
            detail = f"it redirects to {item.url}, which is none of the source's sites"
            ends.append(DeadEnd(page, Phase.COMPLETED, "redirects_elsewhere", detail))
        else:
            found.append(item)
    return found, ends


async def ended(
    db: Connection, saved: Iterable[Mapping[str, Any]], pages_of: Mapping[int, Page | Downloaded]
) -> set[int]:
    """The pages that have ended with these rows.

    A page whose redirect is followed ends with the page to which it leads: only then is known what it brought.
    """
    rows = {row["page"]: row for row in saved if row.get("phase") in (Phase.COMPLETED, Phase.FAILED)}
    found = set(rows)
    for run_id, followed in _by_run({page_id for page_id in found if rows[page_id].get("redirected_to")}, pages_of):
        targets = {page_id: rows[page_id]["redirected_to"] for page_id in followed}
        still_open = await run_pages.open_among(db, run_id, targets.values())
        found -= {page_id for page_id, target in targets.items() if target in still_open}
    for run_id, reached in _by_run({page_id for page_id in found if _was_led_to(pages_of.get(page_id))}, pages_of):
        seen = await run_pages.redirects_in_run(db, run_id)
        origins = set[str]().union(*(frontier.leading_to(pages_of[page_id].url, seen) for page_id in reached))
        found |= await run_pages.first_among(db, run_id, origins)
    return found


def _was_led_to(page: Page | Downloaded | None) -> bool:
    return page is not None and page.hops > 0


def _by_run(page_ids: Iterable[int], pages_of: Mapping[int, Page | Downloaded]) -> Iterable[tuple[int, list[int]]]:
    found = defaultdict[int, list[int]](list)
    for page_id in page_ids:
        found[pages_of[page_id].run_id].append(page_id)
    return found.items()


async def fail_origins(db: Connection, run_id: int, ends: Mapping[str, str], *, now: datetime) -> None:
    """Fails the pages from which redirects led to these ends (URL -> why): their own URL brought nothing."""
    if not ends:
        return
    seen = await run_pages.redirects_in_run(db, run_id)
    for url, why in ends.items():
        origins = frontier.leading_to(url, seen)
        await run_pages.fail_redirected(db, run_id, origins, reason=str(Fault.TOO_MANY_REDIRECTS), detail=why, now=now)
