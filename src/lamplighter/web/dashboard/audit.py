"""The audit log: who did what and when."""

from datetime import timedelta
from urllib.parse import urlencode

from fastapi import Response

from lamplighter.model.access import Role
from lamplighter.operations import audit
from lamplighter.store.audit_log import Wanted
from lamplighter.web.api.paging import DEEPEST
from lamplighter.web.api.routes import Routes
from lamplighter.web.dashboard.audit_lines import lines
from lamplighter.web.dashboard.visit import Visit, Visiting

ROUTES = Routes("", tag="dashboard")
_PATH = "/audit"
_LIMIT = 50
_LONGEST = 500
_SINCE = {"hour": timedelta(hours=1), "day": timedelta(days=1), "week": timedelta(days=7), "month": timedelta(days=30)}
_SINCE_CHOICES = (
    ("", "at any time"),
    ("hour", "in the last hour"),
    ("day", "in the last 24 hours"),
    ("week", "in the last 7 days"),
    ("month", "in the last 30 days"),
)
_FILTERS = ("actor", "action", "subject", "since")


@ROUTES.get(_PATH, role=Role.OPERATOR, include_in_schema=False)
async def log(visit: Visiting) -> Response:
    """What was done, the newest first."""
    given = _given(visit)
    offset = _offset(visit.request.query_params.get("offset", ""))
    async with visit.view.db.read() as db:
        page = await audit.listed(db, _wanted(visit, given), limit=_LIMIT, offset=offset)
    filled = urlencode({name: value for name, value in given.items() if value})
    return visit.page(
        "audit/list.html",
        given=given,
        lines=lines(page),
        total=page.total,
        offset=offset,
        limit=_LIMIT,
        pager_path=f"{_PATH}?{filled}&" if filled else f"{_PATH}?",
        topics=audit.TOPICS,
        since_choices=_SINCE_CHOICES,
    )


def _given(visit: Visit) -> dict[str, str]:
    asked = visit.request.query_params
    given = {name: asked.get(name, "").strip()[:_LONGEST] for name in _FILTERS}
    # No database looks for characters that are no text, and nothing that was done has them.
    return {name: value if value.isprintable() else "" for name, value in given.items()}


def _wanted(visit: Visit, given: dict[str, str]) -> Wanted:
    back = _SINCE.get(given["since"])
    return Wanted(
        actor_part=given["actor"] or None,
        action_start=given["action"] or None,
        subject_part=given["subject"] or None,
        since=visit.now - back if back is not None else None,
    )


def _offset(text: str) -> int:
    return min(int(text), DEEPEST) if text.isascii() and text.isdigit() and len(text) < 10 else 0
