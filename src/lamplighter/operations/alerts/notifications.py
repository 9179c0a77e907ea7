"""Notifications: the delivery log, retries, previews of templates, tests of channels.

Channels are in `operations.alerts.notification_channels`, rules in `operations.alerts.notification_rules`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from lamplighter.crawl.alerts import watched_items
from lamplighter.crawl.alerts.messenger import Messenger
from lamplighter.crawl.alerts.notification_sender import LEASE, settle
from lamplighter.errors import BadInput, NotFound, NotPossible
from lamplighter.model.access import Stamp
from lamplighter.model.fields import otherwise
from lamplighter.model.notification import (
    ALL_RECORDS,
    Channel,
    DeliveryResult,
    NewNotification,
    NoticeKind,
    Notification,
    NotificationState,
    RecordWatch,
    SealedChannel,
)
from lamplighter.operations.alerts import notification_channels, notification_rules
from lamplighter.operations.alerts.notification_rules import RULE_KINDS, RuleSettings
from lamplighter.operations.sources.source_input import naming
from lamplighter.rules.alerts import notification_template, notification_wire, record_watch
from lamplighter.rules.alerts.notification_examples import ABOUT, EXAMPLE_ID, EXAMPLES
from lamplighter.rules.alerts.notification_text import LABELS, Templates, words_of
from lamplighter.store.access import audit_log
from lamplighter.store.alerts import notification_channels as stored_channels
from lamplighter.store.alerts import notifications
from lamplighter.store.alerts.notifications import NotificationFilter
from lamplighter.store.alerts.watched_items import ALL_SOURCES, WatchedSources
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.sources import sources

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
    #: whether it shows an invented example, because the installation has nothing that matches
    is_example: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewRequest:
    """What a preview is of."""

    kind: str
    title_template: str | None = None
    body_template: str | None = None
    #: the rule's source, tag and watch
    of: WatchedSources = ALL_SOURCES
    watch: RecordWatch = ALL_RECORDS


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


async def preview_request(
    db: Connection,
    settings: RuleSettings,
    *,
    title_template: str | None = None,
    body_template: str | None = None,
) -> PreviewRequest:
    """The request for a preview of a rule, saved or not; BadInput names the field."""
    meant = await notification_rules.meant(db, settings)
    return PreviewRequest(
        kind=settings.kind or "",
        title_template=title_template,
        body_template=body_template,
        of=WatchedSources(otherwise(meant.source_id, None), otherwise(meant.tag, None)),
        watch=RecordWatch(
            otherwise(meant.words, None), otherwise(meant.record_field, None), otherwise(meant.price_below, None)
        ),
    )


async def preview(db: Connection, wanted: PreviewRequest, *, public_url: str | None = None) -> Preview:
    """Renders a notice of a kind from the latest records that match, else from an example.

    BadInput names the invalid template.
    """
    kind = NoticeKind(_among(NoticeKind, "kind", wanted.kind) or NoticeKind.TEST)
    for name in ("title_template", "body_template"):
        with naming(name):
            notification_template.check(getattr(wanted, name) or "")
    real = await _latest(db, kind, wanted)
    content = real or EXAMPLES[kind]
    templates = Templates(wanted.title_template or None, wanted.body_template or None)
    words = words_of(kind, content, templates=templates, public_url=public_url)
    payload = notification_wire.webhook_json(EXAMPLE_ID, kind, content, words)
    return Preview(title=words.title, text=words.text, payload=payload, is_example=real is None)


async def _latest(db: Connection, kind: NoticeKind, wanted: PreviewRequest) -> dict[str, Any] | None:
    """A payload of the latest records or pages of one source that match; None when there are none."""
    found = await watched_items.load(db, kind, wanted.of)
    meant = record_watch.wanted(kind, wanted.watch, found)
    if not meant:
        return None
    source = await sources.get(db, meant[0].source_id)
    of_source = [each for each in meant if each.source_id == meant[0].source_id]
    said = {"id": source.public_id, "name": source.name, "url": source.url} if source is not None else None
    example = EXAMPLES[kind]["items"][0]
    data = {"run": example["data"]["run"], **record_watch.told(of_source, watch=wanted.watch)}
    return {"items": [{**example, "source": said, "data": data}], "more": 0}


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
