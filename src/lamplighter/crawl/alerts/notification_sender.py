"""Sends due notifications, each channel by itself: a slow or broken one does not block others.

A notification is claimed, sent and settled, in that order. A process that dies between the last two leaves a lease;
when it has expired the notification is sent again with the same id, so that its receiver can recognise it.
"""

import asyncio
import itertools
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from lamplighter import crash_points, metrics, telemetry
from lamplighter.crawl.alerts.messenger import Messenger
from lamplighter.model.notification import (
    Channel,
    ChannelKind,
    DeliveryResult,
    Notification,
    NotificationChange,
    NotificationState,
    SealedChannel,
)
from lamplighter.ports import Clock
from lamplighter.rules.alerts import notification_match, notification_text
from lamplighter.store.alerts import notification_channels, notifications
from lamplighter.store.engine.after_commit import after_commit
from lamplighter.store.engine.database import Connection, Database

log = telemetry.logger("notify")
#: channels served at once
AT_ONCE = 16
#: notifications sent by one channel before the next channel's turn
_MOST_IN_A_ROW = 20
#: much longer than a try can take
LEASE = timedelta(seconds=60)
#: while a channel is busy, others are checked so often
_LOOK_SECONDS = 1.0
_USED_UP = "all tries were used, and the result of the last one is unknown"
# Create all series at the start, so that the first of each shows as an increase.
for _kind in ChannelKind:
    for _result in ("sent", "failed", "dead"):
        metrics.NOTIFICATIONS.labels(channel=_kind, result=_result)


class NotificationSender:
    """Empties the outbox of notifications."""

    def __init__(self, db: Database, *, messenger: Messenger, clock: Clock, stopping: asyncio.Event) -> None:
        self._db = db
        self._messenger = messenger
        self._clock = clock
        self._stopping = stopping
        #: channel -> the number of its latest turn; the channel that waited longest is served first
        self._turns: dict[int, int] = {}
        self._turn = itertools.count(1)

    async def send_due(self) -> None:
        """Sends due notifications until no channel is busy or due."""
        busy: dict[int, asyncio.Task[None]] = {}
        async with asyncio.TaskGroup() as group:
            while not self._stopping.is_set():
                for channel_id in await self._due():
                    if channel_id not in busy and len(busy) < AT_ONCE:
                        self._turns[channel_id] = next(self._turn)
                        busy[channel_id] = group.create_task(self._serve(channel_id))
                if not busy:
                    return
                await asyncio.wait(busy.values(), timeout=_LOOK_SECONDS, return_when=asyncio.FIRST_COMPLETED)
                busy = {channel_id: task for channel_id, task in busy.items() if not task.done()}

    async def _due(self) -> list[int]:
        now = self._clock.now()
        due = await self._db.look(lambda db: notifications.due_channels(db, now=now))
        return sorted(due, key=lambda channel_id: self._turns.get(channel_id, 0))

    async def _serve(self, channel_id: int) -> None:
        """Sends some due notifications of one channel in order, until one fails."""
        try:
            for _ in range(_MOST_IN_A_ROW):
                if self._stopping.is_set() or not await self._send_next(channel_id):
                    return
        except Exception:
            # An unexpected error of one channel must not stop the others.
            log.exception("notification.channel_failed", channel=channel_id)
            await asyncio.sleep(_LOOK_SECONDS)

    async def _send_next(self, channel_id: int) -> bool:
        """Whether one was due and delivered."""
        now = self._clock.now()
        claimed, sealed = await self._db.write(lambda db: claim(db, channel_id, now=now))
        if claimed is None or sealed is None:
            return False
        if claimed.try_count > sealed.channel.max_tries:
            delivery = DeliveryResult(is_delivered=False, detail=_USED_UP)
        else:
            delivery = await self._messenger.tell(sealed, claimed, now=now)
        crash_points.reached("notify.after_send")
        now = self._clock.now()
        await self._db.write(lambda db: settle(db, sealed.channel, claimed, delivery, now=now))
        return delivery.is_delivered


async def claim(db: Connection, channel_id: int, *, now: datetime) -> tuple[Notification | None, SealedChannel | None]:
    """Leases the next due notification of an enabled channel; returns it with the channel, or None for each.

    A channel at its rate gets none. One with more to send than its rate allows gets all of a kind in one.
    """
    left = await notification_channels.left_this_minute(db, channel_id, now=now)
    sealed = await notification_channels.sealed(db, channel_id)
    if sealed is None or not sealed.channel.enabled or (left is not None and left <= 0):
        return None, None
    claimed = await notifications.claim(db, channel_id, now=now, until=now + LEASE)
    if claimed is None or left is None:
        return claimed, sealed
    await notification_channels.count_try(db, channel_id, now=now)
    if await notifications.count_untried(db, channel_id, now=now) >= left:
        claimed = await _with_the_rest(db, claimed, now=now)
    return claimed, sealed


async def _with_the_rest(db: Connection, claimed: Notification, *, now: datetime) -> Notification:
    """The notification together with all others of its kind; a retry stays as it was, and so does a task."""
    if claimed.try_count > 1 or claimed.kind in notification_match.EACH_BY_ITSELF:
        return claimed
    others = await notifications.gather(db, claimed, now=now)
    if not others:
        return claimed
    payload = notification_text.merged([claimed.payload, *others])
    await notifications.extend(db, {claimed.id: payload})
    count = len(others)
    after_commit(lambda: log.info("notifications.gathered", notification=claimed.public_id, others=count))
    return replace(claimed, payload=payload)


async def settle(
    db: Connection, channel: Channel, claimed: Notification, delivery: DeliveryResult, *, now: datetime
) -> None:
    """Stores the result of a try, and the next try's time."""
    said: dict[str, Any] = {"status": delivery.status, "detail": delivery.detail}
    result, change = _result_of(channel, claimed, delivery, now=now)
    # Lock the channel first, as changing or removing it does: the other order could deadlock.
    if not await notification_channels.lock(db, channel.id):
        return
    if not await notifications.settle(db, claimed, change | NotificationChange(**said)):
        return  # another process sent it meanwhile, or it was cancelled
    if delivery.is_delivered:
        await notification_channels.note_sent(db, channel.id, now=now)
    else:
        await notification_channels.note_failed(db, channel.id, error=delivery.detail)
    if delivery.pause is not None:
        await notification_channels.hold_back(db, channel.id, until=now + delivery.pause)
    names = {"notification": claimed.public_id, "channel": channel.name, "kind": claimed.kind}
    after_commit(metrics.NOTIFICATIONS.labels(channel=channel.kind, result=result).inc)
    after_commit(lambda: log.info(f"notification.{result}", **names, tries=claimed.try_count, **said))


def _result_of(
    channel: Channel, claimed: Notification, delivery: DeliveryResult, *, now: datetime
) -> tuple[str, NotificationChange]:
    if delivery.is_delivered:
        return "sent", NotificationChange(state=NotificationState.SENT, sent_at=now)
    if claimed.try_count >= channel.max_tries:
        return "dead", NotificationChange(state=NotificationState.DEAD)
    pause = notification_match.pause_after(claimed.try_count)
    return "failed", NotificationChange(due_at=now + max(pause, delivery.pause or pause))
