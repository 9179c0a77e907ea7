"""Decides which redirects of a run are followed, and why others are not."""

from collections.abc import Mapping, Sequence
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


async def fail_origins(db: Connection, run_id: int, ends: Mapping[str, str], *, now: datetime) -> None:
    """Fails the pages from which redirects led to these ends (URL -> why): their own URL brought nothing."""
    if not ends:
        return
    seen = await run_pages.redirects_in_run(db, run_id)
    for url, why in ends.items():
        origins = frontier.leading_to(url, seen)
        await run_pages.fail_redirected(db, run_id, origins, reason=str(Fault.TOO_MANY_REDIRECTS), detail=why, now=now)
