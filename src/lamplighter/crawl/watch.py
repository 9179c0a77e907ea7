"""Looks every half minute whether something is wrong, keeps the alerts, and has people told when one fires or clears.

One process at a time keeps them. Two at once would tell nobody twice: what an alert becomes is written under the
condition that it has not become so yet, and only who wrote it tells. Every process that shows metrics looks for itself,
so that Prometheus learns of what is wrong even when nobody leads.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, assert_never

from lamplighter import metrics, telemetry
from lamplighter.crawl import watch_look
from lamplighter.model.alert import Alert, Seen, Severity
from lamplighter.model.notice import Notice, NoticeKind
from lamplighter.ports import Clock, Events, Queue
from lamplighter.rules import alert_findings, failure_share
from lamplighter.rules.alert_life import Begins, Change, Clears, Fires, Forgets, Quiets, Resumes, Retells, step
from lamplighter.rules.alerts import BY_NAME, EXIT_SPAN
from lamplighter.rules.failure_share import Look
from lamplighter.store import alerts, notices, sources, watch_hosts
from lamplighter.store.database import Connection, Database

log = telemetry.logger("watch")
#: what was seen so lately need not be looked for again
_FRESH = timedelta(minutes=1)
#: a run is ended at its deadline, or within so long after it
_RUN_ENDS_WITHIN = timedelta(minutes=15)
_DEAD_LETTERS = "dead_letter_queue"


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """What was seen, and what is firing."""

    at: datetime
    #: rule -> what was found
    seen: Mapping[str, Seen]
    firing: Mapping[Severity, int]


class Watch:
    """Keeps watch, and remembers what it needs to count requests through proxies, which have totals only."""

    def __init__(self, db: Database, *, clock: Clock, queue: Queue, events: Events, longest_run: timedelta) -> None:
        self._db = db
        self._clock = clock
        self._queue = queue
        self._events = events
        self._longest_run = longest_run + _RUN_ENDS_WITHIN
        self._looks: tuple[Look, ...] = ()
        #: what was seen when the alerts were last kept here, and when
        self._kept: tuple[datetime, Mapping[str, Seen]] | None = None
        #: as last shown; None before the first time
        self.latest: Watched | None = None

    async def keep(self) -> None:
        """Looks, and writes what becomes of the alerts; nothing is written while nothing changes."""
        now = self._clock.now()
        seen = await self.look(now)
        self._kept = (now, seen)
        if step(await self._db.look(alerts.open_ones), seen, now=now):
            await self._db.write(lambda db: _apply(db, seen, now=now))

    async def show(self) -> None:
        """Sets the metrics of this process, by what was seen when the alerts were kept here, or by a look of its own.

        A rule that is not judged now keeps its alerts, and so what it says.
        """
        now = self._clock.now()
        seen = await self._seen(now)
        open_ones = await self._db.look(alerts.open_ones)
        firing = Counter(dict.fromkeys(Severity, 0))
        firing.update(alert.severity for alert in open_ones if alert.fired_at is not None)
        kept = Counter(alert.rule for alert in open_ones if alert.fired_at is not None)
        for name, rule in BY_NAME.items():
            if rule.is_seen_inside:
                metrics.FINDINGS.labels(rule=name).set(len(seen[name].findings) if name in seen else kept[name])
        for severity, count in firing.items():
            metrics.ALERTS_FIRING.labels(severity=severity).set(count)
        self.latest = Watched(at=now, seen=seen, firing=firing)

    async def _seen(self, now: datetime) -> Mapping[str, Seen]:
        if self._kept is not None and now - self._kept[0] < _FRESH:
            return self._kept[1]
        return await self.look(now)

    async def look(self, now: datetime) -> dict[str, Seen]:
        """For whom or what each rule holds now."""
        depths = await self._queue.depths()
        totals = await self._db.look(watch_hosts.exit_totals)
        latest = Look(at=now, totals={each.host: (each.succeeded, each.failed) for each in totals})
        self._looks = failure_share.remembered(self._looks, latest, span=EXIT_SPAN)
        given: dict[str, Any] = {
            "exit_requests": failure_share.since_first(self._looks, latest),
            "exits_were_watched": failure_share.is_whole(self._looks, span=EXIT_SPAN, now=now),
            "queue_letters": depths[_DEAD_LETTERS].ready if depths is not None else None,
            "event_figures": await self._events.figures(),
            "longest_run": self._longest_run,
        }
        figures = await self._db.look(lambda db: watch_look.read(db, now=now, **given))
        return alert_findings.look(figures, now=now)


async def _apply(db: Connection, seen: Mapping[str, Seen], *, now: datetime) -> None:
    told: list[tuple[NoticeKind, Alert]] = []
    for change in step(await alerts.open_ones(db), seen, now=now):
        changed = await _write(db, change, now=now)
        if changed is None:
            continue
        is_over = changed.cleared_at is not None
        kind = NoticeKind.ALERT_CLEARED if is_over else NoticeKind.ALERT_FIRED
        told.append((kind, changed))
        say = log.info if is_over else log.warning
        say(str(kind), rule=changed.rule, subject=changed.subject, severity=changed.severity, detail=changed.detail)
    await notices.write(db, await _notices(db, told, now=now))


async def _write(db: Connection, change: Change, *, now: datetime) -> Alert | None:
    """Writes a change, and returns the alert when people are to be told of it."""
    match change:
        case Begins(rule=rule, finding=finding, fires=fires):
            begun = await alerts.begin(
                db, rule=rule.name, severity=rule.severity, finding=finding, now=now, fires=fires
            )
            return begun if fires else None
        case Fires(alert=alert):
            return await alerts.fire(db, alert, now=now)
        case Clears(alert=alert):
            return await alerts.clear(db, alert, now=now)
        case Forgets(alert=alert):
            await alerts.forget(db, alert)
        case Quiets(alert=alert):
            await alerts.quiet(db, alert, since=now)
        case Resumes(alert=alert):
            await alerts.quiet(db, alert, since=None)
        case Retells(alert=alert, finding=finding):
            await alerts.retell(db, alert, finding)
        case _:
            assert_never(change)
    return None


async def _notices(db: Connection, told: list[tuple[NoticeKind, Alert]], *, now: datetime) -> list[Notice]:
    known = await sources.by_public_ids(db, [alert.about for _, alert in told])
    found = []
    for kind, alert in told:
        source = known.get(alert.about)
        data = _data(alert, source.name if source is not None else alert.about)
        found.append(Notice(kind=kind, at=now, source_id=source.id if source is not None else None, data=data))
    return found


def _data(alert: Alert, name: str) -> dict[str, Any]:
    """What there is to tell; alerts of a rule that is no more tell what they know."""
    rule = BY_NAME.get(alert.rule)
    return {
        "alert": alert.public_id,
        "rule": alert.rule,
        "title": rule.title if rule is not None else alert.rule,
        "severity": alert.severity,
        # what it is about, for people and for programs
        "subject": name,
        "about": alert.subject,
        "detail": alert.detail,
        "matters": rule.matters if rule is not None else "",
        "remedy": rule.remedy if rule is not None else "",
        "value": alert.value,
        "since": alert.since.isoformat(),
        "cleared_at": alert.cleared_at.isoformat() if alert.cleared_at is not None else None,
    }
