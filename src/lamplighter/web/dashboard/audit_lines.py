"""Entries of the audit log as a person reads them: what became of each value, and the way to what it was done to."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import quote

import orjson

from lamplighter.operations.audit import AuditPage
from lamplighter.store.audit_log import Entry


class FieldChange(NamedTuple):
    """What became of one value; None where there was, or is, nothing."""

    name: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditLine:
    """Something that somebody did."""

    entry: Entry
    changes: tuple[FieldChange, ...]
    #: the page of what it was done to; None when there is none
    path: str | None


def lines(page: AuditPage) -> list[AuditLine]:
    """The entries of a page."""
    return [AuditLine(entry=each, changes=_changes(each), path=_path(each, page.sources)) for each in page.entries]


def _changes(entry: Entry) -> tuple[FieldChange, ...]:
    """What was or is something; of a new thing, most values say that there is nothing."""
    before, after = entry.before or {}, entry.after or {}
    changes = (FieldChange(name, _text(before.get(name)), _text(after.get(name))) for name in {**before, **after})
    return tuple(each for each in changes if each.before is not None or each.after is not None)


def _text(value: Any) -> str | None:
    if value in (None, "", [], {}):
        return None
    if isinstance(value, str):
        return value
    return orjson.dumps(value).decode()


def _path(entry: Entry, watched: Mapping[str, str]) -> str | None:
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


#: what an action is about -> where its subject is shown
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
