"""The service's background loops: how often each runs, and in which process.

A loop without a duty runs in every process. A loop with a lead runs in one process at a time, whichever holds the lead.
"""

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING

from lamplighter import telemetry
from lamplighter.app.database import database_time
from lamplighter.crawl.fleet.instances import BEAT_SECONDS
from lamplighter.crawl.fleet.leadership import RENEW_SECONDS
from lamplighter.crawl.process.bells import Bell
from lamplighter.crawl.process.loops import Loop, Step
from lamplighter.model.fleet import Duty, Lead
from lamplighter.store.engine import postgres_sessions

if TYPE_CHECKING:
    from lamplighter.app.service import Service

log = telemetry.logger("app")
SWEEP_SECONDS = 60.0
_CLOCK_SECONDS = 60.0
#: how often database sessions of stopped workers are looked for, and after how long one counts as such
_FROZEN_SECONDS = 5.0
_FROZEN_AFTER = timedelta(seconds=15)
#: how often the disk space is checked, and the archive swept
_DISK_SECONDS = 2.0
RETENTION_SECONDS = 300.0
#: how often the crawl pause is read
_CRAWL_PAUSE_SECONDS = 1.0
#: how often settings that were changed while running are read
_SETTINGS_SECONDS = 2.0
#: how often stored secrets are read again
_SECRETS_SECONDS = 30.0
#: how often ordered proxy trials are looked for; a bell is rung for them too
_TRIALS_SECONDS = 60.0
#: how often ordered backups are looked for; a bell is rung for them too
_BACKUP_SECONDS = 60.0
#: how often it is checked whether Redis, RabbitMQ, S3 and the search server answer
_SERVERS_SECONDS = 10.0
#: how often the mirror is updated
_MIRROR_SECONDS = 1.0
#: how often notices and due notifications are looked for
NOTICES_SECONDS = 1.0
#: how often feeds that are due are looked for
_FEEDS_SECONDS = 5.0
#: how often the age of the price is checked
_PRICE_SECONDS = 60.0
#: how often tally parts are folded, and the age of the last tally check is checked
_FOLD_SECONDS = 10.0
_TALLIES_SECONDS = 3600.0
#: how often hosts are looked for whose activity is to be found again
_ACTIVITY_SECONDS = 600.0
#: how often the age of the cohorts, and of the comparison of policies, is checked
_COHORTS_SECONDS = 3600.0
_COMPARISON_SECONDS = 3600.0


def loops_of(service: "Service") -> list[Loop]:
    """All background loops of a process, whatever its duties are."""
    loops = [*_of_every_process(service), *_of_the_leader(service)]
    return loops if service.db.is_sqlite else [*loops, *_on_postgres(service)]


def _of_every_process(service: "Service") -> list[Loop]:
    settings = service.settings
    # In each process: every web server must know the scheduler's figures, whether it leads or not.
    gauging = None if service.kind == "serve" else Duty.SCHEDULE
    return [
        Loop(name="heartbeat", step=service.fleet.membership.beat, seconds=BEAT_SECONDS),
        Loop(name="leads", step=service.fleet.leadership.keep, seconds=RENEW_SECONDS),
        *service.events.loops,
        Loop(name="crawl pause", step=service.crawl_pause.look, seconds=_CRAWL_PAUSE_SECONDS),
        Loop(name="settings", step=service.changed_settings.look, seconds=_SETTINGS_SECONDS),
        Loop(name="disk", step=service.storing.disk.look, seconds=_DISK_SECONDS),
        Loop(name="secrets", step=service.secrets.refresh, seconds=_SECRETS_SECONDS),
        Loop(
            name="backups",
            step=service.storing.backup_maker.work,
            seconds=_BACKUP_SECONDS,
            bell=service.storing.backup_maker.bell,
        ),
        Loop(name="servers", step=service.servers.look, seconds=_SERVERS_SECONDS),
        Loop(name="mirror", step=service.mirroring.show, seconds=_MIRROR_SECONDS),
        Loop(
            name="proxy trials",
            step=service.trying.proxy_rounds.work,
            seconds=_TRIALS_SECONDS,
            bell=service.trying.proxy_rounds.bell,
        ),
        Loop(name="gauge", step=service.leading.gauge.read, seconds=settings.metrics_seconds, duty=gauging),
        *(_for_metrics(service) if service.kind == "serve" else ()),
    ]


def _for_metrics(service: "Service") -> list[Loop]:
    """Loops for metrics from the database; only web servers run them, as all would be equal."""
    seconds = service.settings.metrics_seconds
    return [
        Loop(name="meter", step=service.leading.meter.read, seconds=seconds),
        Loop(name="findings", step=service.notifying.watch.show, seconds=seconds),
    ]


def _of_the_leader(service: "Service") -> list[Loop]:
    settings, bells = service.settings, service.bells

    def leading(name: str, step: Step, seconds: float, bell: Bell | None = None) -> Loop:
        return Loop(name=name, step=step, seconds=seconds, bell=bell or Bell(), duty=Duty.SCHEDULE, lead=Lead.SCHEDULE)

    async def open_due() -> None:
        """Opens due jobs; the next one need not wait for the next poll."""
        scheduler = service.leading.scheduler
        await scheduler.open_due()
        if (wait := await scheduler.seconds_to_next(within=settings.poll_seconds)) is not None:
            asyncio.get_running_loop().call_later(wait, bells.jobs.ring)

    return [
        leading("scheduler", open_due, settings.poll_seconds, bells.jobs),
        leading("tasks", service.leading.task_rounds.make_round, settings.poll_seconds, bells.tasks),
        leading("reconciler", service.leading.reconciler.reconcile, 60 * settings.reconcile_minutes),
        leading("cohorts", service.leading.cohort_keeper.gather_if_old, _COHORTS_SECONDS),
        leading("activity", service.leading.activity_keeper.look_if_due, _ACTIVITY_SECONDS),
        leading("pricer", service.leading.pricer.reprice_if_old, _PRICE_SECONDS),
        leading("comparison", service.leading.comparison_keeper.compare_if_old, _COMPARISON_SECONDS),
        *([leading("feeds", service.trying.feed_poller.poll, _FEEDS_SECONDS)] if settings.feed_poll_enabled else ()),
        # Runs are opened by hand too: overdue ones are ended even where no process schedules.
        Loop(name="janitor", step=service.leading.janitor.sweep, seconds=SWEEP_SECONDS, lead=Lead.SWEEP),
        # Under the sweep lead: silent sources raise alerts also where no process schedules.
        Loop(name="alerts", step=service.notifying.watch.keep, seconds=settings.metrics_seconds, lead=Lead.SWEEP),
        Loop(name="hand out", step=service.notifying.hand_out.hand_out, seconds=NOTICES_SECONDS, lead=Lead.SWEEP),
        Loop(
            name="notify",
            step=service.notifying.notify.send_due,
            seconds=NOTICES_SECONDS,
            bell=bells.notifications,
            lead=Lead.SWEEP,
        ),
        Loop(name="pruning", step=service.storing.pruning.sweep, seconds=SWEEP_SECONDS, lead=Lead.SWEEP),
        Loop(name="retention", step=service.storing.retention.sweep, seconds=RETENTION_SECONDS, lead=Lead.SWEEP),
        Loop(name="tallies", step=service.leading.tally_keeper.check_if_old, seconds=_TALLIES_SECONDS, lead=Lead.SWEEP),
        *service.index.loops,
    ]


def _on_postgres(service: "Service") -> list[Loop]:
    async def set_clock() -> None:
        now = await database_time(service.db)
        if now is not None:
            service.clock.set(now)

    async def end_frozen_sessions() -> None:
        ended = await service.db.write(lambda db: postgres_sessions.end_frozen(db, after=_FROZEN_AFTER))
        if ended:
            log.warning("sessions.ended", count=ended)

    return [
        Loop(name="clock", step=set_clock, seconds=_CLOCK_SECONDS),
        Loop(name="fold", step=service.leading.tally_keeper.fold, seconds=_FOLD_SECONDS, lead=Lead.SWEEP),
        # In each process: the leader may be the one that was stopped.
        Loop(name="frozen sessions", step=end_frozen_sessions, seconds=_FROZEN_SECONDS),
    ]
