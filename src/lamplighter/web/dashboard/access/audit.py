"""The audit log page."""

from datetime import timedelta
from urllib.parse import urlencode

from fastapi import Response

from lamplighter.model.access import Role
from lamplighter.operations.access import audit
from lamplighter.store.access.audit_log import AuditFilter
from lamplighter.web.dashboard.access.audit_lines import lines
from lamplighter.web.dashboard.page_request import PageRequest, ThisRequest
from lamplighter.web.paging import offset_from
from lamplighter.web.routes import Pages

ROUTES = Pages()
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


@ROUTES.get(_PATH, role=Role.OPERATOR)
async def log(request: ThisRequest) -> Response:
    """The audit log entries that match the filters, newest first."""
    given = _given(request)
    offset = offset_from(request.http.query_params.get("offset", ""))
    page = await request.read(lambda db: audit.listed(db, _wanted(request, given), limit=_LIMIT, offset=offset))
    filled = urlencode({name: value for name, value in given.items() if value})
    return request.page(
        "access/audit/list.html",
        given=given,
        lines=lines(page),
        total=page.total,
        offset=offset,
        limit=_LIMIT,
        pager_path=f"{_PATH}?{filled}&" if filled else f"{_PATH}?",
        topics=audit.TOPICS,
        since_choices=_SINCE_CHOICES,
    )


def _given(request: PageRequest) -> dict[str, str]:
    asked = request.http.query_params
    given = {name: asked.get(name, "").strip()[:_LONGEST] for name in _FILTERS}
    # Some databases refuse control characters, and no entry contains them.
    return {name: value if value.isprintable() else "" for name, value in given.items()}


def _wanted(request: PageRequest, given: dict[str, str]) -> AuditFilter:
    back = _SINCE.get(given["since"])
    return AuditFilter(
        actor_part=given["actor"] or None,
        action_start=given["action"] or None,
        subject_part=given["subject"] or None,
        since=request.now - back if back is not None else None,
    )
