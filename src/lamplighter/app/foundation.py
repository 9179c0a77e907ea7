"""What all parts of a service share: settings, database, web client stack, bells, and tools for runs."""

import asyncio
from dataclasses import dataclass
from datetime import timedelta
from typing import Self

from lamplighter.adapters.clocks import DatabaseClock
from lamplighter.app.database import Store
from lamplighter.app.defaults import log_keeping, source_defaults
from lamplighter.app.engines import vault_of
from lamplighter.crawl.alerts.notice_writer import NoticeWriter
from lamplighter.crawl.planning.planner import Planner
from lamplighter.crawl.planning.source_defaults import SourceDefaults
from lamplighter.crawl.process.bells import Bells
from lamplighter.crawl.runs.run_memory import RunTools
from lamplighter.errors import BadSetting
from lamplighter.fetch.door import Door
from lamplighter.model.fleet import Duty
from lamplighter.ports import Queue, Vault
from lamplighter.settings import Settings
from lamplighter.store.engine.database import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class Foundation:
    """What all parts of a service share."""

    settings: Settings
    db: Database
    clock: DatabaseClock
    door: Door
    queue: Queue
    duties: frozenset[Duty]
    source_defaults: SourceDefaults
    vault: Vault
    bells: Bells
    #: set when the service is to stop
    stopping: asyncio.Event

    @classmethod
    def of(cls, settings: Settings, store: Store, door: Door, queue: Queue) -> Self:
        """Builds it for a new service; its bells follow the database's signals."""
        bells = Bells()
        store.db.subscribe(bells.hear)
        return cls(
            settings=settings,
            db=store.db,
            clock=store.clock,
            door=door,
            queue=queue,
            duties=duties_of(settings),
            source_defaults=source_defaults(settings),
            vault=vault_of(settings),
            bells=bells,
            stopping=asyncio.Event(),
        )

    @property
    def owner(self) -> str:
        """The name with which this process leases."""
        return self.door.turns.owner

    @property
    def run_deadline(self) -> timedelta:
        """How long a run may take."""
        return timedelta(minutes=self.settings.run_deadline_minutes)


def run_tools_of(base: Foundation) -> RunTools:
    """What the page sink needs to store and finish runs."""
    return RunTools(
        planner=Planner(source_defaults=base.source_defaults, clock=base.clock),
        notice_writer=NoticeWriter(clock=base.clock),
        finds_feeds=base.settings.feed_discovery_enabled,
        keeping=log_keeping(base.settings),
    )


def duties_of(settings: Settings) -> frozenset[Duty]:
    """The duties that the settings name."""
    names = [name.strip().lower() for name in settings.duties.split(",") if name.strip()]
    unknown = [name for name in names if name not in set(Duty)]
    if unknown or not names:
        known = ", ".join(Duty)
        raise BadSetting(
            f"LAMPLIGHTER_DUTIES={settings.duties!r} names no duty that we know; use one or more of {known}"
        )
    duties = {Duty(name) for name in names}
    return frozenset(duties - {Duty.SCHEDULE} if settings.disable_scheduler else duties)
