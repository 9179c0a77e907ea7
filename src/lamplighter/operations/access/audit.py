"""Lists the audit log."""

from collections.abc import Mapping
from dataclasses import dataclass

from lamplighter.store.access import audit_log
from lamplighter.store.access.audit_log import AuditEntry, AuditFilter
from lamplighter.store.engine.database import Connection
from lamplighter.store.sources import sources

#: what actions are about: the first word of each
TOPICS = (
    *("archive", "crawl", "database", "domain", "event", "host", "index", "job", "jobs", "link", "login"),
    *("notification", "page", "proxy"),
    *("record", "robots", "run", "schedule", "secret", "secrets", "source", "tag", "takedown", "task", "token", "user"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditPage:
    """A part of the log, the newest first, and how long the whole is."""

    entries: list[AuditEntry]
    total: int
    #: the public ids of those subjects that are URLs of sources
    sources: Mapping[str, str]


async def listed(db: Connection, wanted: AuditFilter, *, limit: int, offset: int) -> AuditPage:
    """The entries that match a filter."""
    entries = await audit_log.listed(db, wanted, limit=limit, offset=offset)
    return AuditPage(
        entries=entries,
        total=await audit_log.count(db, wanted),
        sources=await sources.ids_of_urls(db, [entry.subject for entry in entries]),
    )
