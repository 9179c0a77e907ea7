"""Notifications: the delivery log, retries, previews of templates, tests of channels.

Channels are in `operations.alerts.notification_channels`, rules in `operations.alerts.notification_rules`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from lamplighter.crawl.alerts.messenger import Messenger
from lamplighter.crawl.alerts.notification_sender import LEASE, settle
from lamplighter.errors import BadInput, NotFound, NotPossible
from lamplighter.model.access import Stamp
from lamplighter.model.notification import (
    Channel,
    DeliveryResult,
    NewNotification,
    NoticeKind,
    Notification,
    NotificationState,
    SealedChannel,
)
from lamplighter.operations.alerts import notification_channels
from lamplighter.operations.alerts.notification_rules import RULE_KINDS
from lamplighter.operations.sources.source_input import naming
from lamplighter.rules.alerts import notification_template, notification_wire
from lamplighter.rules.alerts.notification_examples import ABOUT, EXAMPLE_ID, EXAMPLES
from lamplighter.rules.alerts.notification_text import LABELS, Templates, words_of
from lamplighter.store.access import audit_log
from lamplighter.store.alerts import notification_channels as stored_channels
from lamplighter.store.alerts import notifications
from lamplighter.store.alerts.notifications import NotificationFilter
from lamplighter.store.engine.database import Connection, Database

#: notifications revived at once
MOST_AT_ONCE = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class KindWords:
    """A kind of notice, for the form of a rule."""

    #: as in NoticeKind, without "test"
    kind: str
    #: "Run failed"
    label: str
    #: when it occurs, in a sentence
    about: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEntry:
    """A notification with its rendered title and text."""

    notification: Notification
    channel_public_id: str
    channel_name: str
    channel_kind: str
    title: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What a notification would read like."""

    title: str
    text: str
    #: what a webhook would be sent
    payload: dict[str, Any]


#: every kind that a rule can be about, in the order of a form
KINDS = tuple(KindWords(kind=kind, label=LABELS[kind], about=ABOUT[kind]) for kind in RULE_KINDS)


async def log(
    db: Connection,
    *,
    channel: str | None = None,
    state: str | None = None,
    kind: str | None = None,
    limit: int,
    offset: int,
) -> tuple[list[LogEntry], int]:
    """A part of all notifications, the newest first, and how many there are; state "dead" are the dead letters."""
    channel_id = (await notification_channels.get(db, channel)).id if channel is not None else None
    wanted = NotificationFilter(channel_id=channel_id, state=_among(NotificationState, "state", state), kind=kind)
    found, total = await notifications.listed(db, wanted, limit=limit, offset=offset)
    return await _entries(db, found), total


async def get(db: Connection, public_id: str) -> LogEntry:
    """One notification; NotFound."""
    found = await notifications.get(db, public_id) if public_id.isprintable() else None
    entries = await _entries(db, [found]) if found is not None else []
    if not entries:
        raise NotFound(f"there is no notification {public_id[:100]!r}", code="notification_not_found")
    return entries[0]


async def retry(db: Connection, public_id: str, *, stamp: Stamp) -> LogEntry:
    """Has a dead notification tried again at once, as often as its channel allows; NotPossible for others."""
    entry = await get(db, public_id)
    _refuse_if_off(await notification_channels.get(db, entry.channel_public_id))
    if not await notifications.revive(db, [entry.notification.id], now=stamp.now):
        raise NotPossible(f"a notification that is {entry.notification.state} cannot be retried; only dead ones can")
    await audit_log.write(db, stamp, "notification.retry", f"notification {public_id}")
    return await get(db, public_id)


async def retry_dead(db: Connection, *, channel: str | None = None, stamp: Stamp) -> int:
    """The same for dead ones, of a channel or of all that are on, no more than MOST_AT_ONCE; returns how many."""
    known = await notification_channels.get(db, channel) if channel is not None else None
    if known is not None:
        _refuse_if_off(known)
    ids = await notifications.dead_ids(db, channel_id=known.id if known is not None else None, limit=MOST_AT_ONCE)
    count = await notifications.revive(db, ids, now=stamp.now)
    subject = f"notifications of {known.name if known is not None else 'all channels'}"
    await audit_log.write(db, stamp, "notification.retry_dead", subject, after={"count": count})
    return count


def _refuse_if_off(channel: Channel) -> None:
    if not channel.enabled:
        raise NotPossible(f"{channel.name} is disabled; enable it first, then retry")


def preview(
    kind: str, *, title_template: str | None = None, body_template: str | None = None, public_url: str | None = None
) -> Preview:
    """Renders an example notice of a kind; BadInput names the invalid template."""
    example = EXAMPLES[NoticeKind(_among(NoticeKind, "kind", kind) or NoticeKind.TEST)]
    for name, template in (("title_template", title_template), ("body_template", body_template)):
        with naming(name):
            notification_template.check(template or "")
    templates = Templates(title_template or None, body_template or None)
    words = words_of(kind, example, templates=templates, public_url=public_url)
    payload = notification_wire.webhook_json(EXAMPLE_ID, kind, example, words)
    return Preview(title=words.title, text=words.text, payload=payload)


async def test(db: Database, messenger: Messenger, public_id: str, *, stamp: Stamp) -> DeliveryResult:
    """Sends a test by a channel at once, enabled or not, and returns the result; the log keeps it."""
    sealed, claimed = await db.write(lambda connection: _begin_test(connection, public_id, stamp=stamp))
    result = await messenger.tell(sealed, claimed, now=stamp.now)
    # The operator sees the result: a failed test is not retried.
    once = replace(sealed.channel, max_tries=1)
    await db.write(lambda connection: settle(connection, once, claimed, result, now=stamp.now))
    return result


async def _begin_test(db: Connection, public_id: str, *, stamp: Stamp) -> tuple[SealedChannel, Notification]:
    channel = await notification_channels.get(db, public_id)
    sealed = await stored_channels.sealed(db, channel.id)
    assert sealed is not None
    item = {"at": stamp.now.isoformat(), "source": None, "data": {"by": stamp.actor}}
    new = NewNotification(
        channel_id=channel.id,
        kind=NoticeKind.TEST,
        payload={"items": [item], "more": 0},
        state=NotificationState.PENDING,
        created_at=stamp.now,
        due_at=stamp.now,
        try_count=1,
        # Leased from the beginning, so that no other process sends it as well.
        lease_until=stamp.now + LEASE,
    )
    (notification_id,) = await notifications.add(db, [new])
    await audit_log.write(db, stamp, "notification_channel.test", f"notification channel {channel.name}")
    return sealed, await notifications.by_id(db, notification_id)


async def _entries(db: Connection, found: Sequence[Notification]) -> list[LogEntry]:
    channels = await stored_channels.many(db, (each.channel_id for each in found))
    # A channel may be removed, and its log with it, between the two queries.
    return [_entry(each, channels[each.channel_id]) for each in found if each.channel_id in channels]


def _entry(notification: Notification, channel: Channel) -> LogEntry:
    templates = Templates(channel.title_template, channel.body_template)
    words = words_of(notification.kind, notification.payload, templates=templates)
    return LogEntry(
        notification=notification,
        channel_public_id=channel.public_id,
        channel_name=channel.name,
        channel_kind=channel.kind,
        title=words.title,
        text=words.text,
    )


def _among(words: type[StrEnum], field: str, given: str | None) -> str | None:
    if given is not None and given not in set(words):
        raise BadInput(f"{given[:60]!r} is not a known {field}; use {', '.join(words)}", field=field)
    return given
