"""Evaluates the alert rules every half minute, stores the alerts, and writes notices when one fires or clears.

One process at a time stores them. Two at once would not notify twice: a state change is written only if the
alert is not in that state yet, and only the process that wrote it notifies. Every process with metrics evaluates the
rules itself, so that Prometheus sees problems even when no process leads.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, assert_never

from lamplighter import metrics, telemetry
from lamplighter.crawl.alerts import alert_snapshot
from lamplighter.model.alert import Alert, RuleCheck, Severity
from lamplighter.model.notification import Notice, NoticeKind
from lamplighter.ports import Clock, Events, Queue
from lamplighter.rules.alerts import alert_findings
from lamplighter.rules.alerts.alert_life import (
    AlertBegins,
    AlertClears,
    AlertFires,
    AlertForgotten,
    AlertQuiets,
    AlertResumes,
    AlertReworded,
    Change,
    step,
)
from lamplighter.rules.alerts.alerts import BY_NAME, PROXY_SPAN
from lamplighter.rules.proxies import failure_share
from lamplighter.rules.proxies.failure_share import RequestTotals
from lamplighter.store.alerts import alert_hosts, alerts, notices
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.sources import sources

log = telemetry.logger("watch")
#: a result this recent is not evaluated again
_FRESH = timedelta(minutes=1)
#: a run is ended at its deadline, or within this time after it
_RUN_ENDS_WITHIN = timedelta(minutes=15)
_DEAD_LETTERS = "dead_letter_queue"


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertSnapshot:
    """Rule results and firing alerts."""

    at: datetime
    #: rule -> its findings
    seen: Mapping[str, RuleCheck]
    firing: Mapping[Severity, int]


class AlertKeeper:
    """Evaluates alerts, and keeps earlier proxy totals to compute the requests of a time span."""

    def __init__(self, db: Database, *, clock: Clock, queue: Queue, events: Events, longest_run: timedelta) -> None:
        self._db = db
        self._clock = clock
        self._queue = queue
        self._events = events
        self._longest_run = longest_run + _RUN_ENDS_WITHIN
        self._looks: tuple[RequestTotals, ...] = ()
        #: when this process last stored the alerts, and the rule results
        self._kept: tuple[datetime, Mapping[str, RuleCheck]] | None = None
        #: as last exported; None before the first time
        self.latest: AlertSnapshot | None = None

    async def keep(self) -> None:
        """Evaluates the rules and stores changed alerts; writes nothing if nothing changes."""
        now = self._clock.now()
        seen = await self.look(now)
        self._kept = (now, seen)
        if step(await self._db.look(alerts.open_ones), seen, now=now):
            await self._db.write(lambda db: _apply(db, seen, now=now))

    async def show(self) -> None:
        """Sets the metrics of this process, from its last stored results or from a new evaluation.

        A rule that is not evaluated now keeps its alerts, and so its value.
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
        self.latest = AlertSnapshot(at=now, seen=seen, firing=firing)

    async def _seen(self, now: datetime) -> Mapping[str, RuleCheck]:
        if self._kept is not None and now - self._kept[0] < _FRESH:
            return self._kept[1]
        return await self.look(now)

    async def look(self, now: datetime) -> dict[str, RuleCheck]:
        """Evaluates every rule now."""
        depths = await self._queue.depths()
        totals = await self._db.look(alert_hosts.proxy_totals)
        latest = RequestTotals(at=now, totals={each.host: (each.succeeded, each.failed) for each in totals})
        self._looks = failure_share.remembered(self._looks, latest, span=PROXY_SPAN)
        given: dict[str, Any] = {
            "proxy_requests": failure_share.since_first(self._looks, latest),
            "proxies_were_watched": failure_share.is_whole(self._looks, span=PROXY_SPAN, now=now),
            "queue_letters": depths[_DEAD_LETTERS].ready if depths is not None else None,
            "event_figures": await self._events.figures(),
            "longest_run": self._longest_run,
        }
        figures = await self._db.look(lambda db: alert_snapshot.read(db, now=now, **given))
        return alert_findings.look(figures, now=now)


async def _apply(db: Connection, seen: Mapping[str, RuleCheck], *, now: datetime) -> None:
    changes: list[tuple[NoticeKind, Alert]] = []
    for change in step(await alerts.open_ones(db), seen, now=now):
        changed = await _write(db, change, now=now)
        if changed is None:
            continue
        is_over = changed.cleared_at is not None
        kind = NoticeKind.ALERT_CLEARED if is_over else NoticeKind.ALERT_FIRED
        changes.append((kind, changed))
        say = log.info if is_over else log.warning
        say(str(kind), rule=changed.rule, subject=changed.subject, severity=changed.severity, detail=changed.detail)
    await notices.write(db, await _notices(db, changes, now=now))


async def _write(db: Connection, change: Change, *, now: datetime) -> Alert | None:
    """Writes a change, and returns the alert if it needs a notice."""
    match change:
        case AlertBegins(rule=rule, finding=finding, fires=fires):
            begun = await alerts.begin(
                db, rule=rule.name, severity=rule.severity, finding=finding, now=now, fires=fires
            )
            return begun if fires else None
        case AlertFires(alert=alert):
            return await alerts.fire(db, alert, now=now)
        case AlertClears(alert=alert):
            return await alerts.clear(db, alert, now=now)
        case AlertForgotten(alert=alert):
            await alerts.forget(db, alert)
        case AlertQuiets(alert=alert):
            await alerts.quiet(db, alert, since=now)
        case AlertResumes(alert=alert):
            await alerts.quiet(db, alert, since=None)
        case AlertReworded(alert=alert, finding=finding):
            await alerts.update_finding(db, alert, finding)
        case _:
            assert_never(change)
    return None


async def _notices(db: Connection, changes: list[tuple[NoticeKind, Alert]], *, now: datetime) -> list[Notice]:
    known = await sources.by_public_ids(db, [alert.about for _, alert in changes])
    found = []
    for kind, alert in changes:
        source = known.get(alert.about)
        data = _data(alert, source.name if source is not None else alert.about)
        found.append(Notice(kind=kind, at=now, source_id=source.id if source is not None else None, data=data))
    return found


def _data(alert: Alert, name: str) -> dict[str, Any]:
    """The notice's data; an alert of a removed rule has its own data only."""
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
