"""Notifications: what was and is to be told, what it would read like, and whether a channel works.

Channels are in `operations.notification_channels`, rules in `operations.notification_rules`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from lamplighter.crawl.messenger import Messenger
from lamplighter.crawl.notify import LEASE, settle
from lamplighter.errors import BadInput, NotFound, NotPossible
from lamplighter.model.notice import NoticeKind
from lamplighter.model.notification import Channel, Notification, NotificationState, SealedChannel, Told
from lamplighter.operations import notification_channels
from lamplighter.operations.notification_rules import RULE_KINDS
from lamplighter.operations.source_wish import naming
from lamplighter.rules import notification_template, notification_wire
from lamplighter.rules.notification_examples import ABOUT, EXAMPLE_ID, EXAMPLES
from lamplighter.rules.notification_match import WITH_THRESHOLD
from lamplighter.rules.notification_text import LABELS, Templates, words_of
from lamplighter.store import audit_log, notifications
from lamplighter.store import notification_channels as stored_channels
from lamplighter.store.database import Connection, Database
from lamplighter.store.notifications import Wanted

#: notifications revived at once
MOST_AT_ONCE = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class KindWords:
    """A kind of happening, for whoever makes a rule."""

    #: as in NoticeKind, without "test"
    kind: str
    #: "Run failed"
    label: str
    #: when it is told, in a sentence
    about: str
    #: whether a threshold means anything for it
    has_threshold: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEntry:
    """A notification with the words that it has or had."""

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
KINDS: tuple[KindWords, ...] = tuple(
    KindWords(kind=kind, label=LABELS[kind], about=ABOUT[kind], has_threshold=kind in WITH_THRESHOLD)
    for kind in RULE_KINDS
)
#: every name that a template may put in double braces, with one phrase each
PLACEHOLDERS: Mapping[str, str] = notification_template.PLACEHOLDERS


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
    wanted = Wanted(channel_id=channel_id, state=_among(NotificationState, "state", state), kind=kind)
    found = await notifications.listed(db, wanted, limit=limit, offset=offset)
    return await _entries(db, found), await notifications.count(db, wanted)


async def get(db: Connection, public_id: str) -> LogEntry:
    """One notification; NotFound."""
    found = await notifications.get(db, public_id) if public_id.isprintable() else None
    entries = await _entries(db, [found]) if found is not None else []
    if not entries:
        raise NotFound(f"there is no notification {public_id[:100]!r}", code="notification_not_found")
    return entries[0]


async def count_by_state(db: Connection) -> dict[str, int]:
    """State -> how many."""
    return await notifications.count_by_state(db)


async def retry(db: Connection, public_id: str, *, actor: str, now: datetime) -> LogEntry:
    """Has a dead notification tried again at once, as often as its channel allows; NotPossible for others."""
    entry = await get(db, public_id)
    _refuse_if_off(await notification_channels.get(db, entry.channel_public_id))
    if not await notifications.revive(db, [entry.notification.id], now=now):
        state = entry.notification.state
        raise NotPossible(f"a notification that is {state} cannot be retried; only dead ones can")
    subject = f"notification {public_id}"
    await audit_log.write(db, actor=actor, action="notification.retry", subject=subject, now=now)
    return await get(db, public_id)


async def retry_dead(db: Connection, *, channel: str | None = None, actor: str, now: datetime) -> int:
    """The same for dead ones, of a channel or of all that are on, no more than MOST_AT_ONCE; returns how many."""
    known = await notification_channels.get(db, channel) if channel is not None else None
    if known is not None:
        _refuse_if_off(known)
    ids = await notifications.dead_ids(db, channel_id=known.id if known is not None else None, limit=MOST_AT_ONCE)
    count = await notifications.revive(db, ids, now=now)
    subject = f"notifications of {known.name if known is not None else 'all channels'}"
    await audit_log.write(
        db, actor=actor, action="notification.retry_dead", subject=subject, now=now, after={"count": count}
    )
    return count


def _refuse_if_off(channel: Channel) -> None:
    if not channel.enabled:
        raise NotPossible(f"{channel.name} is switched off; switch it on first, then retry")


def preview(
    kind: str, *, title_template: str | None = None, body_template: str | None = None, public_url: str | None = None
) -> Preview:
    """What happenings of a kind read like, by an example; BadInput names the template that cannot be used."""
    example = EXAMPLES[NoticeKind(_among(NoticeKind, "kind", kind) or NoticeKind.TEST)]
    for name, template in (("title_template", title_template), ("body_template", body_template)):
        with naming(name):
            notification_template.check(template or "")
    templates = Templates(title_template or None, body_template or None)
    words = words_of(kind, example, templates=templates, public_url=public_url)
    payload = notification_wire.webhook_json(EXAMPLE_ID, kind, example, words)
    return Preview(title=words.title, text=words.text, payload=payload)


async def test(db: Database, messenger: Messenger, public_id: str, *, actor: str, now: datetime) -> Told:
    """Sends a test by a channel at once, enabled or not, and says what came of it; it stands in the log."""
    sealed, claimed = await db.write(lambda connection: _begin_test(connection, public_id, actor=actor, now=now))
    told = await messenger.tell(sealed, claimed, now=now)
    # Whoever tests looks at the answer: nothing is tried again behind their back.
    once = replace(sealed.channel, max_tries=1)
    await db.write(lambda connection: settle(connection, once, claimed, told, now=now))
    return told


async def _begin_test(
    db: Connection, public_id: str, *, actor: str, now: datetime
) -> tuple[SealedChannel, Notification]:
    channel = await notification_channels.get(db, public_id)
    sealed = await stored_channels.sealed(db, channel.id)
    assert sealed is not None
    item = {"at": now.isoformat(), "source": None, "data": {"by": actor}}
    row = {
        "channel_id": channel.id,
        "kind": NoticeKind.TEST,
        "payload": {"items": [item], "more": 0},
        "state": NotificationState.PENDING,
        "created_at": now,
        "due_at": now,
        "try_count": 1,
        # Ours from the beginning, so that nobody else sends it as well.
        "lease_until": now + LEASE,
    }
    (notification_id,) = await notifications.add(db, [row])
    subject = f"notification channel {channel.name}"
    await audit_log.write(db, actor=actor, action="notification_channel.test", subject=subject, now=now)
    return sealed, await notifications.by_id(db, notification_id)


async def _entries(db: Connection, found: Sequence[Notification]) -> list[LogEntry]:
    channels = await stored_channels.many(db, (each.channel_id for each in found))
    # A channel may be removed, and its log with it, after the one look and before the other.
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
        raise BadInput(f"{given[:60]!r} is no {field} of ours; there are {', '.join(words)}", field=field)
    return given
