"""The list of pages in the frontier."""

from typing import Any

from fastapi import Response

from lamplighter.errors import NotFound
from lamplighter.operations.pages import frontier, page_bulk
from lamplighter.operations.pages.frontier import FrontierStatus, PageKind
from lamplighter.operations.pages.task_lists import Listing
from lamplighter.rules.pages import page_reasons
from lamplighter.store.pages.page_lists import MOST_SEARCHED
from lamplighter.web.dashboard.page_request import PageRequest, ThisRequest
from lamplighter.web.dashboard.pages.page_filter import PageFilterForm, Picking
from lamplighter.web.dashboard.pages.page_rows import PageRow
from lamplighter.web.routes import Pages
from lamplighter.web.words import counted

ROUTES = Pages()
_SHOWN = 50


@ROUTES.get("/pages")
async def listed(request: ThisRequest, picked: Picking) -> Response:
    """The pages that match the filters, newest first."""
    found = await _found(request, picked)
    shown: dict[str, Any] = {
        "rows": [PageRow.of(page) for page in found.rows],
        "found": found,
        "picked": picked,
        "limit": _SHOWN,
        "most_searched": MOST_SEARCHED,
        "statuses": [(str(status), str(status)) for status in FrontierStatus],
        "kinds": [(str(kind), str(kind)) for kind in PageKind],
        "reasons": sorted(page_reasons.REASONS.items(), key=lambda pair: pair[1]),
    }
    if request.target == "pages":
        return request.part("pages/rows.html", **shown)
    return request.page("pages/list.html", **shown)


@ROUTES.get("/pages/counts")
async def counts(request: ThisRequest) -> Response:
    """The number of pages by status; counted only on request, since it scans all pages."""
    found = await request.read(lambda db: frontier.counts(db, now=request.now))
    if request.target == "counts":
        return request.part("pages/counts.html", counts=found)
    return request.page("pages/counted.html", counts=found)


@ROUTES.post("/pages/restart")
async def restart_matching(request: ThisRequest) -> Response:
    """Restarts all matching pages that ended or were paused."""
    view, form = request.view, await request.form()
    picked = PageFilterForm.of_form(form)
    count = await view.read(lambda db: page_bulk.count_restartable(db, picked.which, now=request.now))
    if not count:
        return request.done("Nothing to restart: none of these pages has finished.", to=picked.path)
    request.confirm(form, _question(count), label="Restart them", back=picked.path)
    done = await page_bulk.restart(view.db, picked.which, stamp=request.stamp)
    return request.done(f"{counted(done, 'page')} will be fetched again.", to=picked.path)


async def _found(request: PageRequest, picked: PageFilterForm) -> Listing:
    """The matching pages; none for an unknown source."""
    async with request.view.db.read() as db:
        try:
            return await frontier.listed(db, picked.which, limit=_SHOWN, offset=picked.offset, now=request.now)
        except NotFound:
            return Listing(rows=[], total=0, is_exact=True)


def _question(count: int) -> str:
    if count > page_bulk.MOST_AT_ONCE:
        return (
            f"Fetch the {counted(page_bulk.MOST_AT_ONCE, 'oldest matching page')} again? "
            "Each page waits for its host's turn."
        )
    return f"Fetch {counted(count, 'page')} again? Each page waits for its host's turn."
