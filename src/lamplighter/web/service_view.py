"""The parts of the service that the dashboard and the API may use, as small capabilities."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeVar

from lamplighter.crawl.alerts.alert_keeper import AlertSnapshot
from lamplighter.crawl.alerts.messenger import Messenger
from lamplighter.crawl.archive.retention import SweepResult
from lamplighter.crawl.fleet.database_gauges import SchedulerFigures
from lamplighter.crawl.fleet.secret_values import SecretBook
from lamplighter.crawl.planning.source_defaults import SourceDefaults
from lamplighter.fetch.door import Door
from lamplighter.model.access import Caller, Stamp
from lamplighter.model.fleet import CrawlPause, Server
from lamplighter.operations.backup.backup_maker import BackupMaker
from lamplighter.operations.backup.restore_orders import RestoreOrders
from lamplighter.operations.explain.lessons import Lessons
from lamplighter.operations.explain.source_preview import FirstLooks
from lamplighter.operations.explain.trials import Simulator
from lamplighter.operations.proxies.proxy_trial_matrix import TrialMatrixRuns
from lamplighter.operations.proxies.proxy_trials import ProxyTrials
from lamplighter.operations.records.record_finder import RecordFinder
from lamplighter.ports import Archive, Clock, Events, Queue, SearchServer, Vault
from lamplighter.settings import Settings
from lamplighter.store.engine.database import Connection, Database

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteAccess:
    """Sends requests to sites and proxies for an operator."""

    door: Door
    #: parses a page and stores nothing
    simulator: Simulator
    #: tries a source before it is added
    first_looks: FirstLooks
    #: teaches recipes from examples
    lessons: Lessons
    #: test proxies: at once, and in the background
    proxy_trials: ProxyTrials
    proxy_rounds: TrialMatrixRuns


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageAccess:
    """The archive, the disk and the backups."""

    archive: Archive
    #: removes what the archive need not keep, at once
    sweep_archive: Callable[[], Awaitable[SweepResult]]
    #: whether there is room to store fetched pages
    room: Callable[[], dict[str, Any]]
    #: makes backups, one at a time
    backup_maker: BackupMaker
    #: takes orders to restore a backup
    restore_orders: RestoreOrders


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchAccess:
    """Record search."""

    finder: RecordFinder
    #: the search server; None when the database is searched
    server: SearchServer | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretAccess:
    """Secrets of the installation."""

    #: encrypts secrets
    vault: Vault
    #: the secrets that recipes may name
    book: SecretBook


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlAccess:
    """The state of the crawl, and actions on it."""

    #: the number of hosts that this process leases now
    active_hosts: Callable[[], int]
    #: the scheduler's figures as last read; None before the first reading
    scheduling: Callable[[], SchedulerFigures | None]
    #: the last alert snapshot; None before the first
    watched: Callable[[], AlertSnapshot | None]
    #: opens runs of all due jobs at once; returns their number
    run_due: Callable[[], Awaitable[int]]
    #: the crawl pause as last read; None while there is none
    crawl_pause: Callable[[], CrawlPause | None]
    #: to be awaited after all crawling was paused or resumed
    crawl_pause_changed: Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Connections:
    """Queue, events, Redis mirror and notifications."""

    #: wakes workers
    queue: Queue
    #: carries events
    events: Events
    #: the health of the Redis mirror
    mirror: Callable[[], dict[str, Any]]
    #: sends notifications
    messenger: Messenger
    #: the servers that do not answer this process, and since when
    away: Callable[[], Mapping[Server, datetime]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceView:
    """The parts of the service that the web layer uses."""

    db: Database
    clock: Clock
    settings: Settings
    #: the source defaults as they are now
    defaults: Callable[[], SourceDefaults]
    #: to be awaited after settings were changed
    settings_changed: Callable[[], Awaitable[None]]
    sites: SiteAccess
    storage: StorageAccess
    search: SearchAccess
    secrets: SecretAccess
    crawl: CrawlAccess
    connections: Connections

    @property
    def source_defaults(self) -> SourceDefaults:
        """What applies to a source that does not say otherwise."""
        return self.defaults()

    @property
    def run_deadline(self) -> timedelta:
        """The time limit of a run."""
        return timedelta(minutes=self.settings.run_deadline_minutes)

    async def read(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        """The result of one read from the database."""
        async with self.db.read() as db:
            return await work(db)

    def stamp(self, caller: Caller) -> Stamp:
        """The caller and the current time."""
        return Stamp(caller.name, self.clock.now())
