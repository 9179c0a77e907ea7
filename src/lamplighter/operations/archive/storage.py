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
    earlier = f"{days:g} days after a newer version" if days else "without a time limit"
    per_page = f"the latest {versions}" if versions else "all of them"
    together = f"up to {gigabytes:g} GB; then the oldest versions are deleted" if gigabytes else "without a size limit"
    too_large = f"not at all: the fetch stops above {settings.max_page_kb} KB"
    return [
        _rule("The latest version of each page", "as long as the page is known"),
        _rule("Earlier versions of a page", earlier, "archive_keep_days"),
        _rule("Versions per page", per_page, "archive_keep_versions"),
        _rule("All bodies together", together, "archive_max_gb"),
        _rule("Pages with noarchive", "until they are parsed, with their earlier versions"),
        _rule("Pages of more than this size", too_large, "max_page_kb"),
    ]


def _stored(settings: Settings) -> list[RetentionRule]:
    changes = f"{settings.keep_change_days:g} days" if settings.keep_change_days else "as long as the record"
    runs = (
        f"{settings.keep_run_days:g} days, and no more than {settings.keep_runs} of a crawl job; of each "
        "the last successful and the last failed run stay, and hourly figures forever"
    )
    robots = f"valid for {settings.robots_ttl_hours:g} hours, or until the host's next turn if that is later"
    cookies = "not at all, unless a source enables them; then encrypted, and only for that site"
    mirror = [_rule("The Redis mirror", settings.redis_storage_expires, "redis_storage_expires")]
    return [
        _rule("Records", "until they are removed, or a takedown is purged"),
        _rule("Record history", changes, "keep_change_days"),
        _rule("Runs", runs, "keep_run_days", "keep_runs"),
        _rule("Logs of runs", f"{settings.run_log_days:g} days", "run_log_days"),
        _rule("Delivered events and their receipts", _days(RECEIPTS_KEPT)),
        _rule("Notifications, after they were sent or failed", _days(NOTIFICATIONS_KEPT)),
        _rule("Cleared alerts", _days(ALERTS_KEPT)),
        _rule("Proxy test results", "the last test with each host, as long as the proxy exists"),
        _rule("The audit log, takedowns, removed records", "forever"),
        _rule("Copies of robots.txt", robots, "robots_ttl_hours"),
        _rule("Cookies of sites", cookies),
        *(mirror if settings.redis_storage_enabled else ()),
        _rule("Backups", f"the newest {settings.keep_backups}", "keep_backups"),
    ]


def _rule(what: str, how_long: str, *names: str) -> RetentionRule:
    """A rule; `names` are the settings that say so."""
    return RetentionRule(what=what, how_long=how_long, variables=tuple(PREFIX + name.upper() for name in names))


def _days(time: timedelta) -> str:
    return f"{time.days} days"
