"""Which redirects of a run are followed, and what becomes of the pages whose are not?"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from lamplighter.crawl.admission import Found
from lamplighter.model.page import Page, Phase
from lamplighter.model.reading import Role
from lamplighter.model.visit import Fault
from lamplighter.rules import frontier, urls
from lamplighter.store import pages, run_pages
from lamplighter.store.crawl_runs import OpenRun
from lamplighter.store.database import Connection


class DeadEnd(NamedTuple):
    """A page whose redirect is not followed, and why."""

    page: Page
    phase: Phase
    reason: str
    detail: str

    def row(self) -> dict[str, Any]:
        """What is stored of it."""
        return {"page": self.page.id, "phase": self.phase, "reason": self.reason, "detail": self.detail}


async def sorted_out(
    db: Connection, run: OpenRun, redirects: Sequence[tuple[Page, Found]], *, limit: int
) -> tuple[list[Found], list[DeadEnd]]:
    """The targets worth asking for, none that leads back, and of mere links none that leaves the source's sites."""
    seen = await run_pages.redirects_in_run(db, run.id)
    starts = (await pages.seed_urls(db, [run.source_id])).get(run.source_id, [])
    # A source of submitted pages has no start page: each of them stays on its own site.
    sites = {urls.parse(url).hostname for url in starts or [page.url for page, _ in redirects]}
    found, ends = [], []
    for page, item in redirects:
        target = urls.parse(item.url).hostname
        if frontier.leads_back(item.url, page.url, seen, limit=limit):
            detail = f"redirect loop: {item.url} leads back here; the URL needs correcting"
            ends.append(DeadEnd(page, Phase.FAILED, str(Fault.TOO_MANY_REDIRECTS), detail))
        elif page.role is Role.LINK and not any(urls.same_site(target, site) for site in sites):
            detail = f"it redirects to {item.url}, which is none of the source's sites"
            ends.append(DeadEnd(page, Phase.COMPLETED, "redirects_elsewhere", detail))
        else:
            found.append(item)
    return found, ends
