"""The audit log page: entries with their changed values and links to their subjects."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

import orjson
from fastapi import Response

from lamplighter.model.access import Role
from lamplighter.operations.access import audit
from lamplighter.operations.access.audit import AuditPage
from lamplighter.rules.formats.typed_text import offset_from
from lamplighter.store.access.audit_log import AuditEntry, AuditFilter
from lamplighter.web.dashboard.page_request import PageRequest, ThisRequest
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


class FieldChange(NamedTuple):
    """A changed value; None where there was or is no value."""

    name: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditLine:
    """An audit log entry with its changes and a link to its subject."""

    entry: AuditEntry
    changes: tuple[FieldChange, ...]
    #: the page of the subject; None when there is none
    path: str | None


def lines(page: AuditPage) -> list[AuditLine]:
    """The formatted entries of one page."""
    return [AuditLine(entry=each, changes=_changes(each), path=_path(each, page.sources)) for each in page.entries]


def _changes(entry: AuditEntry) -> tuple[FieldChange, ...]:
    """The changes that have a value; most values of a new object are empty."""
    before, after = entry.before or {}, entry.after or {}
    changes = (FieldChange(name, _text(before.get(name)), _text(after.get(name))) for name in {**before, **after})
    return tuple(each for each in changes if each.before is not None or each.after is not None)


def _text(value: Any) -> str | None:
    if value in (None, "", [], {}):
        return None
    if isinstance(value, str):
        return value
    return orjson.dumps(value).decode()


def _path(entry: AuditEntry, watched: Mapping[str, str]) -> str | None:
    topic, _, _ = entry.action.partition(".")
    if topic in ("source", "job"):
        return f"/sources/{watched[entry.subject]}" if entry.subject in watched else None
    lead = _LEADS.get(topic)
    return lead(entry.subject) if lead is not None else None


def _numbered(path: str) -> Callable[[str], str | None]:
    """Subjects such as "proxy 3"."""

    def lead(subject: str) -> str | None:
        number = subject.rpartition(" ")[2]
        return f"{path}/{number}" if number.isdigit() else None

    return lead


def _under(path: str) -> Callable[[str], str | None]:
    return lambda subject: f"{path}/{quote(subject, safe='')}"


def _at(path: str) -> Callable[[str], str | None]:
    return lambda _: path


#: subject type of an action -> path of the subject's page
_LEADS: Mapping[str, Callable[[str], str | None]] = {
    "proxy": _numbered("/proxies"),
    "task": _numbered("/pages"),
    "page": _numbered("/pages"),
    "host": _under("/hosts"),
    "domain": _under("/hosts"),
    "robots": _under("/hosts"),
    "record": _under("/records"),
    "tag": lambda subject: f"/?tag={quote(subject, safe='')}",
    "schedule": _at("/schedule"),
    "event": _at("/events"),
    "jobs": _at("/"),
    "crawl": _at("/crawl"),
    "takedown": _at("/settings/takedowns"),
    "user": _at("/settings/users"),
    "token": _at("/settings/tokens"),
    "secret": _at("/settings/secrets"),
    "secrets": _at("/settings/secrets"),
}


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
    query = request.http.query_params
    given = {name: query.get(name, "").strip()[:_LONGEST] for name in _FILTERS}
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
