"""Notification routing: turns notices into notifications for the rules that subscribe to them.

Notices are taken in their order and deleted in the transaction that stores their notifications, so that
each is routed once, even after a crash.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from lamplighter import telemetry
from lamplighter.crawl.alerts import watched_items
from lamplighter.crawl.alerts.watched_items import WatchedRun
from lamplighter.model.notification import ALL_RECORDS, NewNotification, Notice, NotificationRule, NotificationState
from lamplighter.ports import Clock
from lamplighter.rules.alerts import notification_text, record_watch
from lamplighter.rules.alerts.notification_match import RuleBook
from lamplighter.store.alerts import notices, notification_rules, notifications
from lamplighter.store.alerts.watched_items import WatchedSources
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.sources import sources, tags

log = telemetry.logger("notify")
#: notices routed in one transaction
_BATCH = 200


class NotificationRouting:
    """Decides which channels get a notice."""

    def __init__(self, db: Database, *, clock: Clock) -> None:
        self._db = db
        self._clock = clock

    async def hand_out(self) -> int:
        """Routes all notices, and returns how many notifications it made."""
        total = 0
        if not await self._db.look(notices.are_there):
            return total
        while True:
            now = self._clock.now()
            taken, made = await self._db.write(lambda db, now=now: self._some(db, now=now))  # type: ignore[misc]
            total += made
            if made:
                log.info("notifications.made", notices=taken, notifications=made)
            if taken < _BATCH:
                return total

    async def _some(self, db: Connection, *, now: datetime) -> tuple[int, int]:
        taken = await notices.take(db, limit=_BATCH)
        if not taken:
            return 0, 0
        matches = await _matching_rules(db, taken)
        at_once = [_notification(rule, [item], now=now) for rule, item in matches if rule.digest_minutes is None]
        await notifications.add(db, at_once)
        made = await _gather(db, [(rule, item) for rule, item in matches if rule.digest_minutes is not None], now=now)
        return len(taken), len(at_once) + made


async def _matching_rules(db: Connection, taken: Sequence[Notice]) -> list[tuple[NotificationRule, dict[str, Any]]]:
    ids = sorted({notice.source_id for notice in taken if notice.source_id is not None})
    kinds = {notice.kind for notice in taken}
    book = RuleBook(await notification_rules.in_force(db, kinds=kinds, source_ids=ids))
    known, labels = await sources.many(db, ids), await tags.of_sources(db, ids)
    matches: list[tuple[NotificationRule, dict[str, Any]]] = []
    for notice in taken:
        row = known.get(notice.source_id) if notice.source_id is not None else None
        source = {"id": row.public_id, "name": row.name, "url": row.url} if row is not None else None
        item = notification_text.item_of(notice, source)
        of_source = labels.get(notice.source_id or 0, ())
        for rule in book.chosen(notice, of_source):
            if rule.watch == ALL_RECORDS:
                matches.append((rule, item))
            elif (data := await _watched(db, rule, notice)) is not None:
                matches.append((rule, item | {"data": data}))
    return matches


async def _watched(db: Connection, rule: NotificationRule, notice: Notice) -> dict[str, Any] | None:
    """The notice's data with the records that a rule watches; None when the run had none of them."""
    told = notice.data.get(record_watch.WATCHED_RUN)
    if told is None:  # written by an earlier version
        return None
    run = WatchedRun(told["run_id"], datetime.fromisoformat(told["since"]), notice.at)
    found = await watched_items.load(db, notice.kind, WatchedSources(notice.source_id), run)
    meant = record_watch.wanted(notice.kind, rule.watch, found)
    return {"run": notice.data["run"], **record_watch.told(meant, watch=rule.watch)} if meant else None


async def _gather(
    db: Connection, matches: Sequence[tuple[NotificationRule, Mapping[str, Any]]], *, now: datetime
) -> int:
    """Adds items to the rules' digests, and starts missing ones; returns how many it started."""
    if not matches:
        return 0
    open_digests = await notifications.gathering(db, {rule.id for rule, _ in matches})
    changed: dict[int, dict[str, Any]] = {}
    begun: dict[int, NewNotification] = {}
    for rule, item in matches:
        if rule.id in open_digests:
            notification_id, payload = open_digests[rule.id]
            changed[notification_id] = notification_text.added(changed.get(notification_id, payload), item)
        elif rule.id in begun:
            first = begun[rule.id]
            begun[rule.id] = replace(first, payload=notification_text.added(first.payload, item))
        else:
            begun[rule.id] = _notification(rule, [item], now=now)
    await notifications.extend(db, changed)
    await notifications.add(db, list(begun.values()))
    return len(begun)


def _notification(rule: NotificationRule, items: Sequence[Mapping[str, Any]], *, now: datetime) -> NewNotification:
    payload: dict[str, Any] = {"items": items, "more": 0}
    state, due_at = NotificationState.PENDING, now
    if rule.digest_minutes is not None:
        payload["is_digest"] = True
        state, due_at = NotificationState.GATHERING, now + timedelta(minutes=rule.digest_minutes)
    return NewNotification(
        channel_id=rule.channel_id,
        rule_id=rule.id,
        kind=rule.kind,
        payload=payload,
        state=state,
        created_at=now,
        due_at=due_at,
    )
