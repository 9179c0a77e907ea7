"""A page as a row with its state and reason."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from lamplighter.model.page import PageStage, Phase
from lamplighter.model.reading import PageRole
from lamplighter.operations.pages import frontier
from lamplighter.operations.pages.frontier import FrontierStatus
from lamplighter.operations.pages.page_history import rests_until
from lamplighter.rules.pages import page_reasons
from lamplighter.rules.pages.frontier import priority_of
from lamplighter.rules.pages.page_reasons import PageState

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
        standing = PageState(
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
            why=page_reasons.sentence(standing),
            role=_ROLES[PageRole(page.role)],
            next_at=_next_at(page),
            priority=priority_of(page.rank),
        )


def _next_at(page: Any) -> datetime | None:
    if page.phase == Phase.PENDING:
        return _time(page.due_at)
    return _time(page.next_at) or rests_until(page)


def _time(moment: Any) -> datetime | None:
    return moment if isinstance(moment, datetime) else None
