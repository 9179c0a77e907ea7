"""What is kept, how much of it, and by which rule it goes."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from lamplighter.crawl.event_effects import RECEIPTS_KEPT
from lamplighter.crawl.pruning import ALERTS_KEPT, NOTIFICATIONS_KEPT
from lamplighter.settings import PREFIX, Settings
from lamplighter.store import storage_figures, upkeep
from lamplighter.store.database import Connection
from lamplighter.store.storage_figures import Rows
from lamplighter.store.upkeep import Done, Upkeep

#: table -> what its rows are to people
KINDS: Mapping[str, str] = {
    "sources": "sources",
    "pages": "pages",
    "records": "records",
    "record_changes": "changes of records",
    "crawl_runs": "runs",
    "run_log_lines": "lines of run logs",
    "events": "events",
    "notifications": "notifications",
    "alerts": "alerts",
    "audit_log": "entries of the audit log",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """How long something is kept."""

    what: str
    how_long: str
    #: the variables that say so; empty when nothing does
    variables: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """How much the database holds."""

    database_bytes: int
    #: what -> how many
    rows: Mapping[str, Rows]
    #: when something was last forgotten because it was old enough, and how much; None when nothing ever was
    last_sweep: Done | None
    #: when the database was last brought back from a backup
    last_restore: Done | None


async def held(db: Connection) -> Held:
    """How much there is of everything, counted cheaply."""
    rows = await storage_figures.rows_of(db, KINDS)
    return Held(
        database_bytes=await storage_figures.database_bytes(db),
        rows={KINDS[name]: counted for name, counted in rows.items()},
        last_sweep=await upkeep.last(db, Upkeep.SWEEP),
        last_restore=await upkeep.last(db, Upkeep.RESTORE),
    )


def rules(settings: Settings) -> list[Rule]:
    """Everything that is kept, and for how long."""
    return [*_archived(settings), *_stored(settings)]


def _archived(settings: Settings) -> list[Rule]:
    days, versions, gigabytes = settings.archive_keep_days, settings.archive_keep_versions, settings.archive_max_gb
    return [
        Rule(what="The latest version of each page", how_long="as long as the page is known"),
        Rule(
            what="Earlier versions of a page",
            how_long=f"{days:g} days after another took their place" if days else "without a limit of time",
            variables=_named("archive_keep_days"),
        ),
        Rule(
            what="Versions of one page",
            how_long=f"the latest {versions}" if versions else "all of them",
            variables=_named("archive_keep_versions"),
        ),
        Rule(
            what="All bodies together",
            how_long=f"up to {gigabytes:g} GB; then the oldest versions go" if gigabytes else "without a limit of size",
            variables=_named("archive_max_gb"),
        ),
        Rule(what="Pages that say noarchive", how_long="until they were read, with their earlier versions"),
        Rule(
            what="Pages of more than this size",
            how_long=f"not at all: above {settings.max_page_kb} KB they are given up while they arrive",
            variables=_named("max_page_kb"),
        ),
    ]


def _stored(settings: Settings) -> list[Rule]:
    changes = settings.keep_change_days
    return [
        Rule(what="Records", how_long="until somebody removes them, or a takedown is purged"),
        Rule(
            what="How records changed",
            how_long=f"{changes:g} days" if changes else "as long as the record",
            variables=_named("keep_change_days"),
        ),
        Rule(
            what="Runs",
            how_long=f"{settings.keep_run_days:g} days, and no more than {settings.keep_runs} of a crawl job; of each "
            "the last good and the last failed run stay, and hourly figures for ever",
            variables=_named("keep_run_days", "keep_runs"),
        ),
        Rule(what="Logs of runs", how_long=f"{settings.run_log_days:g} days", variables=_named("run_log_days")),
        Rule(what="Events that were passed on, and their receipts", how_long=_days(RECEIPTS_KEPT)),
        Rule(what="Notifications, once sent or given up", how_long=_days(NOTIFICATIONS_KEPT)),
        Rule(what="Alerts, once cleared", how_long=_days(ALERTS_KEPT)),
        Rule(what="What came of trying a proxy", how_long="the last trial with each host, as long as the proxy"),
        Rule(what="The audit log, takedowns, removed records", how_long="for ever"),
        Rule(
            what="Copies of robots.txt",
            how_long=f"trusted for {settings.robots_ttl_hours:g} hours, or until the host's next turn if that is later",
            variables=_named("robots_ttl_hours"),
        ),
        Rule(
            what="Cookies of sites",
            how_long="not at all, unless a source asks for it; then encrypted, and only for that site",
        ),
        *_shown_outside(settings),
        Rule(
            what="Backups in their folder",
            how_long=f"the newest {settings.keep_backups}",
            variables=_named("keep_backups"),
        ),
    ]


def _shown_outside(settings: Settings) -> list[Rule]:
    if not settings.redis_storage_enabled:
        return []
    shown = settings.redis_storage_expires
    return [Rule(what="What is shown in Redis", how_long=shown, variables=_named("redis_storage_expires"))]


def _named(*names: str) -> tuple[str, ...]:
    return tuple(PREFIX + name.upper() for name in names)


def _days(time: timedelta) -> str:
    return f"{time.days} days"
