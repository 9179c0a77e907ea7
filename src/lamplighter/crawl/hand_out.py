"""Hands out what happened: turns notices into notifications for those whose rules want them.

Notices are taken in their order and gone in the very transaction in which their notifications are stored, so that each
is told once, whoever dies in between.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from lamplighter import telemetry
from lamplighter.crawl.bells import Bells
from lamplighter.model.notice import Notice
from lamplighter.model.notification import NotificationState, Rule
from lamplighter.ports import Clock
from lamplighter.rules import notification_text
from lamplighter.rules.notification_match import RuleBook
from lamplighter.store import notices, notification_rules, notifications, sources, tags
from lamplighter.store.database import Connection, Database

log = telemetry.logger("notify")
#: notices handed out in one transaction
_BATCH = 200


class HandOut:
    """Answers one question: who is told of this?"""

    def __init__(self, db: Database, *, clock: Clock, bells: Bells) -> None:
        self._db = db
        self._clock = clock
        self._bells = bells

    async def hand_out(self) -> int:
        """Hands out all there is, and returns how many notifications came of it."""
        total = 0
        if not await self._db.look(notices.are_there):
            return total
        while True:
            now = self._clock.now()
            taken, made = await self._db.write(lambda db, now=now: self._some(db, now=now))  # type: ignore[misc]
            total += made
            if made:
                self._bells.notifications.ring()
                log.info("notifications.made", notices=taken, notifications=made)
            if taken < _BATCH:
                return total

    async def _some(self, db: Connection, *, now: datetime) -> tuple[int, int]:
        taken = await notices.take(db, limit=_BATCH)
        if not taken:
            return 0, 0
        told = await _who_is_told(db, taken)
        at_once = [_row(rule, [item], now=now) for rule, item in told if rule.digest_minutes is None]
        await notifications.add(db, at_once)
        made = await _gather(db, [(rule, item) for rule, item in told if rule.digest_minutes is not None], now=now)
        return len(taken), len(at_once) + made


async def _who_is_told(db: Connection, taken: Sequence[Notice]) -> list[tuple[Rule, dict[str, Any]]]:
    ids = sorted({notice.source_id for notice in taken if notice.source_id is not None})
    kinds = {notice.kind for notice in taken}
    book = RuleBook(await notification_rules.in_force(db, kinds=kinds, source_ids=ids))
    known, labels = await sources.many(db, ids), await tags.of_sources(db, ids)
    told = []
    for notice in taken:
        row = known.get(notice.source_id) if notice.source_id is not None else None
        source = {"id": row.public_id, "name": row.name, "url": row.url} if row is not None else None
        item = notification_text.item_of(notice, source)
        of_source = labels.get(notice.source_id or 0, ())
        told += [(rule, item) for rule in book.chosen(notice, of_source)]
    return told


async def _gather(db: Connection, told: Sequence[tuple[Rule, Mapping[str, Any]]], *, now: datetime) -> int:
    """Adds to the digests of rules, and begins those that there are not; returns how many were begun."""
    if not told:
        return 0
    open_digests = await notifications.gathering(db, {rule.id for rule, _ in told})
    changed: dict[int, dict[str, Any]] = {}
    begun: dict[int, dict[str, Any]] = {}
    for rule, item in told:
        if rule.id in open_digests:
            notification_id, payload = open_digests[rule.id]
            changed[notification_id] = notification_text.added(changed.get(notification_id, payload), item)
        elif rule.id in begun:
            begun[rule.id]["payload"] = notification_text.added(begun[rule.id]["payload"], item)
        else:
            begun[rule.id] = _row(rule, [item], now=now)
    await notifications.extend(db, changed)
    await notifications.add(db, list(begun.values()))
    return len(begun)


def _row(rule: Rule, items: Sequence[Mapping[str, Any]], *, now: datetime) -> dict[str, Any]:
    payload: dict[str, Any] = {"items": items, "more": 0}
    state, due_at = NotificationState.PENDING, now
    if rule.digest_minutes is not None:
        payload["is_digest"] = True
        state, due_at = NotificationState.GATHERING, now + timedelta(minutes=rule.digest_minutes)
    return {
        "channel_id": rule.channel_id,
        "rule_id": rule.id,
        "kind": rule.kind,
        "payload": payload,
        "state": state,
        "created_at": now,
        "due_at": due_at,
    }
