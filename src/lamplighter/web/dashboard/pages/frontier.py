"""The list of pages in the frontier: its filter, its rows, and restarting them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, ClassVar
from urllib.parse import urlencode
from uuid import UUID

from fastapi import Depends, Query, Response

from lamplighter.errors import NotFound
from lamplighter.model.page import PageStage, Phase
from lamplighter.model.reading import PageRole
from lamplighter.operations.pages import frontier, page_bulk
from lamplighter.operations.pages.frontier import FrontierFilter, FrontierStatus, PageKind
from lamplighter.operations.pages.page_history import revisit_from
from lamplighter.operations.pages.task_lists import Listing
from lamplighter.rules.pages import page_reasons
from lamplighter.rules.pages.frontier import priority_of
from lamplighter.rules.pages.page_reasons import PageState
from lamplighter.store.pages.page_lists import MOST_SEARCHED
from lamplighter.web.dashboard.forms import SubmittedForm
from lamplighter.web.dashboard.page_request import PageRequest, ThisRequest
from lamplighter.web.routes import Pages
from lamplighter.web.values import Line
from lamplighter.web.words import counted

ROUTES = Pages()
_SHOWN = 50
_LONGEST = 500
Word = Annotated[Line, Query(max_length=_LONGEST)]
_TONES = {
    FrontierStatus.PENDING: "busy",
    FrontierStatus.FETCHING: "busy",
    FrontierStatus.FETCHED: "good",
    FrontierStatus.FAILED: "bad",
    FrontierStatus.DEAD: "bad",
    FrontierStatus.PAUSED: "idle",
    FrontierStatus.CANCELLED: "idle",
}
_ROLES = {PageRole.SEED: "start page", PageRole.LISTING: "listing", PageRole.LINK: "link"}


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRow:
    """A page with its state and reason as text."""

    page: Any
    stage: str
    #: the colour of its state
    tone: str
    #: the reason for its state
    why: str
    #: its role for its source
    role: str
    #: when it is fetched next; None when unknown
    next_at: datetime | None
    priority: int

    @classmethod
    def of(cls, page: Any) -> "PageRow":
        """Builds the row of a page."""
        state = PageState(
            stage=PageStage(page.stage),
            reason=page.reason,
            detail=page.detail,
            retry_count=page.retry_count,
            redirected_to=page.redirected_to,
        )
        return cls(
            page=page,
            stage=page.stage,
            tone=_TONES[frontier.status_of(page)],
            why=page_reasons.sentence(state),
            role=_ROLES[PageRole(page.role)],
            next_at=_next_at(page),
            priority=priority_of(page.rank),
        )


def _next_at(page: Any) -> datetime | None:
    if page.phase == Phase.PENDING:
        return _time(page.due_at)
    return _time(page.next_at) or revisit_from(page)


def _time(moment: Any) -> datetime | None:
    return moment if isinstance(moment, datetime) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListFilter:
    """The filter values that the lists of pages and of links share; an empty one matches anything."""

    host: Word = ""
    source: Word = ""
    q: Word = ""
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0
    #: the list's own path, and the names of its filter values
    base: ClassVar[str]
    names: ClassVar[tuple[str, ...]]

    @property
    def chosen(self) -> dict[str, str]:
        """The non-empty filter values by name."""
        return {name: value for name in self.names if (value := getattr(self, name))}

    @property
    def path(self) -> str:
        """The URL path of the filtered list."""
        return f"{self.base}?{urlencode(self.chosen)}" if self.chosen else self.base

    @property
    def pages_path(self) -> str:
        """The URL path of the filtered list, ready for an offset."""
        return f"{self.path}&" if self.chosen else f"{self.base}?"

    def query(self, **more: Any) -> FrontierFilter:
        """The query for the frontier; an invalid source matches nothing."""
        source_id, search = _source_of(self.source), self.q.strip() or None
        return FrontierFilter(host=self.host.strip() or None, source_id=source_id, search=search, **more)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFilterForm(ListFilter):
    """The filter values of the pages."""

    status: Word = ""
    reason: Word = ""
    kind: Word = ""
    base = "/pages"
    names = ("status", "host", "source", "q", "reason", "kind")

    @classmethod
    def of_form(cls, form: SubmittedForm) -> "PageFilterForm":
        """The filter from the fields of a form."""
        given: dict[str, Any] = {name: _printable(form.text(name))[:_LONGEST] for name in cls.names}
        return cls(**given)

    @property
    def which(self) -> FrontierFilter:
        """The query for the frontier; an unknown status or kind means any."""
        return self.query(
            status=FrontierStatus(self.status) if self.status in set(FrontierStatus) else None,
            reason=self.reason or None,
            kind=PageKind(self.kind) if self.kind in set(PageKind) else None,
        )


#: the id of no source
_NOBODY = UUID(int=0)


def _source_of(text: str) -> UUID | None:
    """The source id of the filter, None if empty; an invalid id becomes one that no source has."""
    if not text.strip():
        return None
    try:
        return UUID(text.strip())
    except ValueError:
        return _NOBODY


def _printable(text: str) -> str:
    """The text without control characters, which some databases refuse."""
    return "".join(character for character in text if character.isprintable())


Picking = Annotated[PageFilterForm, Depends()]


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
    return request.part_or_page("pages", "pages/rows.html", "pages/list.html", **shown)


@ROUTES.get("/pages/counts")
async def counts(request: ThisRequest) -> Response:
    """The number of pages by status; counted only on request, since it scans all pages."""
    found = await request.read(lambda db: frontier.counts(db, now=request.now))
    return request.part_or_page("counts", "pages/counts.html", "pages/counted.html", counts=found)


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
