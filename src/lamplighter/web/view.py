"""What the web pages and the API may know and do of the service they belong to."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated, Any, cast

from fastapi import Depends, Request

from lamplighter.crawl.gauge import Figures
from lamplighter.crawl.messenger import Messenger
from lamplighter.crawl.norms import Norms
from lamplighter.crawl.retention import Swept
from lamplighter.crawl.secret_book import SecretBook
from lamplighter.crawl.watch import Watched
from lamplighter.fetch.door import Door
from lamplighter.model.access import Caller
from lamplighter.model.fleet import Standstill
from lamplighter.operations.backup_maker import BackupMaker
from lamplighter.operations.first_looks import FirstLooks
from lamplighter.operations.proxy_rounds import ProxyRounds
from lamplighter.operations.proxy_trials import ProxyTrials
from lamplighter.operations.record_finder import RecordFinder
from lamplighter.operations.restore_desk import RestoreDesk
from lamplighter.operations.trials import Simulator
from lamplighter.ports import Archive, Clock, Events, Queue, SearchServer, Vault
from lamplighter.settings import Settings
from lamplighter.store.database import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceView:
    """The service, as far as it is shown."""

    db: Database
    clock: Clock
    settings: Settings
    norms: Norms
    door: Door
    archive: Archive
    simulator: Simulator
    #: tries what somebody is about to add
    first_looks: FirstLooks
    #: try proxies: at once, and in the background
    proxy_trials: ProxyTrials
    proxy_rounds: ProxyRounds
    #: makes backups, one at a time
    backup_maker: BackupMaker
    #: where it is ordered to go back to one
    restore_desk: RestoreDesk
    #: finds records
    finder: RecordFinder
    #: what they are found in; None when that is the database
    search_server: SearchServer | None
    #: whoever carries events
    events: Events
    #: whoever wakes workers
    queue: Queue
    #: encrypts what must not stand readable in the database
    vault: Vault
    #: what recipes may name
    secrets: SecretBook
    #: how the copy is that outside readers see
    mirror: Callable[[], dict[str, Any]]
    #: whether what is fetched can be kept
    room: Callable[[], dict[str, Any]]
    #: how many hosts this process holds at the moment
    active_hosts: Callable[[], int]
    #: how scheduling goes, as last seen; None before the first look
    scheduling: Callable[[], Figures | None]
    #: what is wrong, as last seen; None before the first look
    watched: Callable[[], Watched | None]
    #: opens runs of what is due, at once; returns how many
    run_due: Callable[[], Awaitable[int]]
    #: why nobody crawls, as last seen; None while they do
    standstill: Callable[[], Standstill | None]
    #: to be awaited when somebody paused or resumed all crawling
    standstill_changed: Callable[[], Awaitable[None]]
    #: forgets what the archive need not keep, at once
    sweep_archive: Callable[[], Awaitable[Swept]]
    #: to be called when a source was added, changed or removed; when a job is due; when a host has pages to ask for;
    #: when a page was submitted, or taken out of its run
    sources_changed: Callable[[], None]
    jobs_changed: Callable[[], None]
    hosts_changed: Callable[[], None]
    tasks_changed: Callable[[], None]
    #: tells people, by whatever channel
    messenger: Messenger
    #: to be called when a notification is to be sent without delay
    notifications_changed: Callable[[], None]


def _view_of(request: Request) -> ServiceView:
    return cast(ServiceView, request.app.state.view)


def _caller_of(request: Request) -> Caller:
    return cast(Caller, request.scope["caller"])


View = Annotated[ServiceView, Depends(_view_of)]
#: who asks; only for routes that need a role
Asking = Annotated[Caller, Depends(_caller_of)]
