"""A page as a list and its own page show it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from lamplighter.model.page import Phase, Stage
from lamplighter.model.reading import Role
from lamplighter.operations import frontier, task_actions
from lamplighter.operations.frontier import Status
from lamplighter.operations.page_life import rests_until
from lamplighter.rules import page_reasons
from lamplighter.rules.page_reasons import Standing

_TONES = {
    Status.PENDING: "busy",
    Status.FETCHING: "busy",
    Status.FETCHED: "good",
    Status.FAILED: "bad",
    Status.DEAD: "bad",
    Status.PAUSED: "idle",
    Status.CANCELLED: "idle",
}
_ROLES = {Role.SEED: "start page", Role.LISTING: "listing", Role.LINK: "link"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A page, and where it stands in words."""

    page: Any
    stage: str
    #: which colour its state has
    tone: str
    #: why it stands there
    why: str
    #: what it is to its source
    role: str
    #: when it is asked for next; None when nobody knows
    next_at: datetime | None
    priority: int

    @classmethod
    def of(cls, page: Any) -> "Row":
        """The row of a page."""
        standing = Standing(
            stage=Stage(page.stage),
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
            role=_ROLES[Role(page.role)],
            next_at=_next_at(page),
            priority=task_actions.priority_of(page),
        )


def _next_at(page: Any) -> datetime | None:
    if page.phase == Phase.PENDING:
        return _time(page.due_at)
    return _time(page.next_at) or rests_until(page)


def _time(moment: Any) -> datetime | None:
    return moment if isinstance(moment, datetime) else None
