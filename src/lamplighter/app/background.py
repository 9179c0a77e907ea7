"""The service's background work: every loop, how often it steps, and who does it.

A loop without a duty runs in every process. A loop with a lead runs in one process at a time, whichever holds the lead.
"""

from datetime import timedelta
from typing import TYPE_CHECKING

from lamplighter import telemetry
from lamplighter.app.opening import database_time
from lamplighter.crawl.bells import Bell
from lamplighter.crawl.instances import BEAT_SECONDS
from lamplighter.crawl.leadership import RENEW_SECONDS
from lamplighter.crawl.loops import Loop, Step
from lamplighter.model.fleet import Duty, Lead
from lamplighter.store import frozen_sessions

if TYPE_CHECKING:
    from lamplighter.app.service import Service

log = telemetry.logger("app")
_SWEEP_SECONDS = 60.0
_CLOCK_SECONDS = 60.0
#: how often is looked for sessions that a stopped worker left behind, and after how long one counts as such
_FROZEN_SECONDS = 5.0
_FROZEN_AFTER = timedelta(seconds=15)
#: how often is looked how much room the disk has, and what the archive may forget
_DISK_SECONDS = 2.0
_RETENTION_SECONDS = 300.0
#: how often is looked whether all crawling stands still
_STANDSTILL_SECONDS = 1.0
#: how often stored secrets are read again
_SECRETS_SECONDS = 30.0
#: how often is looked whether somebody has proxies tried; a bell is rung for it
_TRIALS_SECONDS = 60.0
#: how often is looked whether somebody has ordered a backup; a bell is rung for it
_BACKUP_SECONDS = 60.0
#: how often outside readers are shown what is new
_MIRROR_SECONDS = 1.0
#: how often is looked whether there is something to tell, or to be told again
_NOTICES_SECONDS = 1.0
#: how often is looked whether it is time to distribute the budget anew
_PRICE_SECONDS = 60.0
#: how often what was counted since is added to the tallies, and is looked whether it is time to compare them
_FOLD_SECONDS = 10.0
_TALLIES_SECONDS = 3600.0
#: how often is looked whether it is time to gather what sources that are alike have in common
_COHORTS_SECONDS = 3600.0


def loops_of(service: "Service") -> list[Loop]:
    """All that a process may do in the background, whatever its duties are."""
    loops = [*_of_every_process(service), *_of_the_leader(service)]
    return loops if service.db.is_sqlite else [*loops, *_on_postgres(service)]


def _of_every_process(service: "Service") -> list[Loop]:
    settings = service.settings
    # Each for itself: whoever is asked how scheduling goes must know, whether it leads or not.
    gauging = None if service.kind == "serve" else Duty.SCHEDULE
    return [
        Loop(name="heartbeat", step=service.membership.beat, seconds=BEAT_SECONDS),
        Loop(name="leads", step=service.leadership.keep, seconds=RENEW_SECONDS),
        *service.events.loops,
        Loop(name="standstill", step=service.standstill.look, seconds=_STANDSTILL_SECONDS),
        Loop(name="disk", step=service.disk.look, seconds=_DISK_SECONDS),
        Loop(name="secrets", step=service.secrets.refresh, seconds=_SECRETS_SECONDS),
        Loop(name="backups", step=service.backup_maker.work, seconds=_BACKUP_SECONDS, bell=service.backup_maker.bell),
        Loop(name="mirror", step=service.mirroring.show, seconds=_MIRROR_SECONDS),
        Loop(
            name="proxy trials",
            step=service.proxy_rounds.work,
            seconds=_TRIALS_SECONDS,
            bell=service.proxy_rounds.bell,
        ),
        Loop(name="gauge", step=service.gauge.read, seconds=settings.metrics_seconds, duty=gauging),
        *(_for_metrics(service) if service.kind == "serve" else ()),
    ]


def _for_metrics(service: "Service") -> list[Loop]:
    """What the database knows is told by those who answer the web: of all workers it would be the same."""
    seconds = service.settings.metrics_seconds
    return [
        Loop(name="meter", step=service.meter.read, seconds=seconds),
        Loop(name="findings", step=service.watch.show, seconds=seconds),
    ]


def _of_the_leader(service: "Service") -> list[Loop]:
    settings, bells = service.settings, service.bells

    def leading(name: str, step: Step, seconds: float, bell: Bell | None = None) -> Loop:
        return Loop(name=name, step=step, seconds=seconds, bell=bell or Bell(), duty=Duty.SCHEDULE, lead=Lead.SCHEDULE)

    return [
        leading("scheduler", service.scheduler.open_due, settings.poll_seconds, bells.jobs),
        leading("tasks", service.task_rounds.make_round, settings.poll_seconds, bells.tasks),
        leading("reconciler", service.reconciler.reconcile, 60 * settings.reconcile_minutes),
        leading("cohorts", service.cohort_keeper.gather_if_old, _COHORTS_SECONDS),
        leading("pricer", service.pricer.reprice_if_old, _PRICE_SECONDS),
        # Runs are opened by hand too: overdue ones are ended even where nobody schedules.
        Loop(name="janitor", step=service.janitor.sweep, seconds=_SWEEP_SECONDS, lead=Lead.SWEEP),
        # By whoever may lead at all: silence is told of also where nobody schedules.
        Loop(name="alerts", step=service.watch.keep, seconds=settings.metrics_seconds, lead=Lead.SWEEP),
        Loop(name="hand out", step=service.hand_out.hand_out, seconds=_NOTICES_SECONDS, lead=Lead.SWEEP),
        Loop(
            name="notify",
            step=service.notify.send_due,
            seconds=_NOTICES_SECONDS,
            bell=bells.notifications,
            lead=Lead.SWEEP,
        ),
        Loop(name="pruning", step=service.pruning.sweep, seconds=_SWEEP_SECONDS, lead=Lead.SWEEP),
        Loop(name="retention", step=service.retention.sweep, seconds=_RETENTION_SECONDS, lead=Lead.SWEEP),
        Loop(name="tallies", step=service.tally_keeper.check_if_old, seconds=_TALLIES_SECONDS, lead=Lead.SWEEP),
        *service.index.loops,
    ]


def _on_postgres(service: "Service") -> list[Loop]:
    async def set_clock() -> None:
        now = await database_time(service.db)
        if now is not None:
            service.clock.set(now)

    async def end_frozen_sessions() -> None:
        ended = await service.db.write(lambda db: frozen_sessions.end(db, after=_FROZEN_AFTER))
        if ended:
            log.warning("sessions.ended", count=ended)

    return [
        Loop(name="clock", step=set_clock, seconds=_CLOCK_SECONDS),
        Loop(name="fold", step=service.tally_keeper.fold, seconds=_FOLD_SECONDS, lead=Lead.SWEEP),
        # Each for itself: the leader may be the one that was stopped.
        Loop(name="frozen sessions", step=end_frozen_sessions, seconds=_FROZEN_SECONDS),
    ]
