"""Storage figures and retention rules."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from lamplighter.crawl.events.event_effects import RECEIPTS_KEPT
from lamplighter.crawl.fleet.pruning import ALERTS_KEPT, NOTIFICATIONS_KEPT
from lamplighter.settings import PREFIX, Settings
from lamplighter.store.engine.database import Connection
from lamplighter.store.fleet import storage_figures, upkeep
from lamplighter.store.fleet.storage_figures import TableRows
from lamplighter.store.fleet.upkeep import Upkeep, UpkeepResult

#: table -> what its rows are to people
KINDS: Mapping[str, str] = {
    "sources": "sources",
    "pages": "pages",
    "records": "records",
    "record_changes": "record changes",
    "crawl_runs": "runs",
    "run_log_lines": "run log lines",
    "events": "events",
    "notifications": "notifications",
    "alerts": "alerts",
    "audit_log": "audit log entries",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionRule:
    """How long something is kept."""

    what: str
    how_long: str
    #: the variables that say so; empty when nothing does
    variables: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRows:
    """How much the database holds."""

    database_bytes: int
    #: what -> how many
    rows: Mapping[str, TableRows]
    #: when something was last forgotten because it was old enough, and how much; None when nothing ever was
    last_sweep: UpkeepResult | None
    #: when the database was last brought back from a backup
    last_restore: UpkeepResult | None


async def held(db: Connection) -> StoredRows:
    """How much there is of everything, counted cheaply."""
    rows = await storage_figures.rows_of(db, KINDS)
    return StoredRows(
        database_bytes=await storage_figures.database_bytes(db),
        rows={KINDS[name]: counted for name, counted in rows.items()},
        last_sweep=await upkeep.last(db, Upkeep.SWEEP),
        last_restore=await upkeep.last(db, Upkeep.RESTORE),
    )


def rules(settings: Settings) -> list[RetentionRule]:
    """Everything that is kept, and for how long."""
    return [*_archived(settings), *_stored(settings)]


def _archived(settings: Settings) -> list[RetentionRule]:
    days, versions, gigabytes = settings.archive_keep_days, settings.archive_keep_versions, settings.archive_max_gb
    return [
        RetentionRule(what="The latest version of each page", how_long="as long as the page is known"),
        RetentionRule(
            what="Earlier versions of a page",
            how_long=f"{days:g} days after a newer version" if days else "without a time limit",
            variables=_named("archive_keep_days"),
        ),
        RetentionRule(
            what="Versions per page",
            how_long=f"the latest {versions}" if versions else "all of them",
            variables=_named("archive_keep_versions"),
        ),
        RetentionRule(
            what="All bodies together",
            how_long=f"up to {gigabytes:g} GB; then the oldest versions are deleted"
            if gigabytes
            else "without a size limit",
            variables=_named("archive_max_gb"),
        ),
        RetentionRule(what="Pages with noarchive", how_long="until they are parsed, with their earlier versions"),
        RetentionRule(
            what="Pages of more than this size",
            how_long=f"not at all: the fetch stops above {settings.max_page_kb} KB",
            variables=_named("max_page_kb"),
        ),
    ]


def _stored(settings: Settings) -> list[RetentionRule]:
    changes = settings.keep_change_days
    return [
        RetentionRule(what="Records", how_long="until they are removed, or a takedown is purged"),
        RetentionRule(
            what="Record history",
            how_long=f"{changes:g} days" if changes else "as long as the record",
            variables=_named("keep_change_days"),
        ),
        RetentionRule(
            what="Runs",
            how_long=f"{settings.keep_run_days:g} days, and no more than {settings.keep_runs} of a crawl job; of each "
            "the last successful and the last failed run stay, and hourly figures forever",
            variables=_named("keep_run_days", "keep_runs"),
        ),
        RetentionRule(
            what="Logs of runs", how_long=f"{settings.run_log_days:g} days", variables=_named("run_log_days")
        ),
        RetentionRule(what="Delivered events and their receipts", how_long=_days(RECEIPTS_KEPT)),
        RetentionRule(what="Notifications, after they were sent or failed", how_long=_days(NOTIFICATIONS_KEPT)),
        RetentionRule(what="Cleared alerts", how_long=_days(ALERTS_KEPT)),
        RetentionRule(what="Proxy test results", how_long="the last test with each host, as long as the proxy exists"),
        RetentionRule(what="The audit log, takedowns, removed records", how_long="forever"),
        RetentionRule(
            what="Copies of robots.txt",
            how_long=f"valid for {settings.robots_ttl_hours:g} hours, or until the host's next turn if that is later",
            variables=_named("robots_ttl_hours"),
        ),
        RetentionRule(
            what="Cookies of sites",
            how_long="not at all, unless a source enables them; then encrypted, and only for that site",
        ),
        *_shown_outside(settings),
        RetentionRule(what="Backups", how_long=f"the newest {settings.keep_backups}", variables=_named("keep_backups")),
    ]


def _shown_outside(settings: Settings) -> list[RetentionRule]:
    if not settings.redis_storage_enabled:
        return []
    shown = settings.redis_storage_expires
    return [RetentionRule(what="The Redis mirror", how_long=shown, variables=_named("redis_storage_expires"))]


def _named(*names: str) -> tuple[str, ...]:
    return tuple(PREFIX + name.upper() for name in names)


def _days(time: timedelta) -> str:
    return f"{time.days} days"
