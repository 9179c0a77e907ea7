"""Sends the notifications that are due, each channel by itself: one that is slow or broken holds up no other.

A notification is claimed, sent and settled, in that order. Who dies between the last two leaves a lease behind; when it
has run out the notification is sent again under the same id, by which its receiver knows it.
"""

import asyncio
import itertools
from datetime import datetime, timedelta
from typing import Any

from lamplighter import crash_points, metrics, telemetry
from lamplighter.crawl.messenger import Messenger
from lamplighter.model.notification import Channel, ChannelKind, Notification, NotificationState, SealedChannel, Told
from lamplighter.ports import Clock
from lamplighter.rules import notification_match
from lamplighter.store import notification_channels, notifications
from lamplighter.store.after_commit import after_commit
from lamplighter.store.database import Connection, Database

log = telemetry.logger("notify")
#: channels served at once
_AT_ONCE = 16
#: notifications sent by one channel before it is somebody else's turn
_MOST_IN_A_ROW = 20
#: far longer than a try can take
LEASE = timedelta(seconds=60)
#: while a channel is busy, others are looked for so often
_LOOK_SECONDS = 1.0
_USED_UP = "its tries are used up, and nobody could say what came of the last"
# There from the start, so that the first of each is an increase and not a beginning.
for _kind in ChannelKind:
    for _result in ("sent", "failed", "dead"):
        metrics.NOTIFICATIONS.labels(channel=_kind, result=_result)


class Notify:
    """Empties the outbox of notifications."""

    def __init__(self, db: Database, *, messenger: Messenger, clock: Clock, stopping: asyncio.Event) -> None:
        self._db = db
        self._messenger = messenger
        self._clock = clock
        self._stopping = stopping
        #: channel -> the number of its latest turn; who waited for longest is served first
        self._turns: dict[int, int] = {}
        self._turn = itertools.count(1)

    async def send_due(self) -> None:
        """Sends what is due, and goes on for as long as any channel is at it."""
        busy: dict[int, asyncio.Task[None]] = {}
        async with asyncio.TaskGroup() as group:
            while not self._stopping.is_set():
                for channel_id in await self._due():
                    if channel_id not in busy and len(busy) < _AT_ONCE:
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
        """Sends some of what is due for one channel, one after the other, until one fails."""
        try:
            for _ in range(_MOST_IN_A_ROW):
                if self._stopping.is_set() or not await self._send_next(channel_id):
                    return
        except Exception:
            # What nobody foresaw with one channel is no reason to leave the others unserved.
            log.exception("notification.channel_failed", channel=channel_id)
            await asyncio.sleep(_LOOK_SECONDS)

    async def _send_next(self, channel_id: int) -> bool:
        """Whether there was something, and it was taken."""
        now = self._clock.now()
        claimed, sealed = await self._db.write(lambda db: _claim(db, channel_id, now=now))
        if claimed is None or sealed is None:
            return False
        if claimed.try_count > sealed.channel.max_tries:
            told = Told(is_delivered=False, detail=_USED_UP)
        else:
            told = await self._messenger.tell(sealed, claimed, now=now)
        crash_points.reached("notify.after_send")
        now = self._clock.now()
        await self._db.write(lambda db: settle(db, sealed.channel, claimed, told, now=now))
        return told.is_delivered


async def _claim(db: Connection, channel_id: int, *, now: datetime) -> tuple[Notification | None, SealedChannel | None]:
    sealed = await notification_channels.sealed(db, channel_id)
    if sealed is None or not sealed.channel.enabled:
        return None, None
    return await notifications.claim(db, channel_id, now=now, until=now + LEASE), sealed


async def settle(db: Connection, channel: Channel, claimed: Notification, told: Told, *, now: datetime) -> None:
    """Writes down what came of a try, and when the next is."""
    said = {"status": told.status, "detail": told.detail}
    result, values = _result_of(channel, claimed, told, now=now)
    # The channel first, as whoever changes or removes it has it: in the other order the two would block each other.
    if not await notification_channels.lock(db, channel.id):
        return
    if not await notifications.settle(db, claimed, **said, **values):
        return  # somebody else sent it meanwhile, or it was cancelled
    if told.is_delivered:
        await notification_channels.note_sent(db, channel.id, now=now)
    else:
        await notification_channels.note_failed(db, channel.id, error=told.detail)
    if told.pause is not None:
        await notification_channels.hold_back(db, channel.id, until=now + told.pause)
    names = {"notification": claimed.public_id, "channel": channel.name, "kind": claimed.kind}
    after_commit(metrics.NOTIFICATIONS.labels(channel=channel.kind, result=result).inc)
    after_commit(lambda: log.info(f"notification.{result}", **names, tries=claimed.try_count, **said))


def _result_of(channel: Channel, claimed: Notification, told: Told, *, now: datetime) -> tuple[str, dict[str, Any]]:
    if told.is_delivered:
        return "sent", {"state": NotificationState.SENT, "sent_at": now}
    if claimed.try_count >= channel.max_tries:
        return "dead", {"state": NotificationState.DEAD}
    pause = notification_match.pause_after(claimed.try_count)
    return "failed", {"due_at": now + max(pause, told.pause or pause)}
