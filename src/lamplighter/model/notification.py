"""Notification channels, rules, and the notifications sent by them."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, NamedTuple

from lamplighter.model.fields import UNSET, PartialChange, Unset


class ChannelKind(StrEnum):
    """How a channel delivers notifications."""

    WEBHOOK = "webhook"
    EMAIL = "email"
    SLACK = "slack"
    NTFY = "ntfy"


class NotificationState(StrEnum):
    """The state of a notification."""

    #: a digest that still collects items
    GATHERING = "gathering"
    PENDING = "pending"
    SENT = "sent"
    #: failed after as many tries as its channel allows
    DEAD = "dead"
    #: its channel was switched off before it was sent
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """A channel as an operator sees it: without its target and its secret."""

    id: int
    public_id: str
    name: str
    kind: ChannelKind
    #: scheme and host of the target, or the domain of the address
    target_hint: str
    has_secret: bool
    #: None means the default text
    title_template: str | None
    body_template: str | None
    enabled: bool
    #: most tries for one notification
    max_tries: int
    #: in a row
    failure_count: int
    last_sent_at: datetime | None
    last_error: str | None
    #: nothing is sent before then, because its receiver requested a pause
    held_until: datetime | None
    #: most tries in a minute; what is beyond is gathered; None means no limit
    max_per_minute: int | None
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedChannel:
    """The channel with its target and secret, still encrypted."""

    channel: Channel
    target: bytes = field(repr=False)
    secret: bytes | None = field(repr=False)


class RecordWatch(NamedTuple):
    """Which records a rule watches; None means all."""

    #: separated by commas: one of them begins a word of the title or the text
    words: str | None = None
    #: the field that changed, as in `deadline` or `price`
    record_field: str | None = None
    #: the price that it fell below
    price_below: float | None = None


ALL_RECORDS = RecordWatch()


@dataclass(frozen=True, slots=True, kw_only=True)
class NotificationRule:
    """A notification rule: which notices a channel gets, and how soon."""

    id: int
    public_id: str
    channel_id: int
    kind: str
    #: only of one source, or of sources with a tag; both None means all
    source_id: int | None
    tag: str | None
    #: number of occurrences in a row; 1 means at once
    threshold: int
    #: notices are collected in a digest that is sent so long after the first; None sends each by itself
    digest_minutes: int | None
    #: only records with one of these words in title or text, separated by commas; None means all
    words: str | None = None
    #: only changes of this field; None means all
    record_field: str | None = None
    #: the price below which a record is notified, with `price.fell`
    price_below: float | None = None
    #: whether it also wants what a source's first complete run finds
    with_baseline: bool = False
    enabled: bool
    created_at: datetime

    @property
    def watch(self) -> RecordWatch:
        """Which of the records that a notice is about it wants."""
        return RecordWatch(self.words, self.record_field, self.price_below)


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleUpdate(PartialChange):
    """A new rule, or a change of one."""

    channel_id: int | Unset = UNSET
    kind: str | Unset = UNSET
    source_id: int | Unset | None = UNSET
    tag: str | Unset | None = UNSET
    threshold: int | Unset = UNSET
    digest_minutes: int | Unset | None = UNSET
    words: str | Unset | None = UNSET
    record_field: str | Unset | None = UNSET
    price_below: float | Unset | None = UNSET
    with_baseline: bool | Unset = UNSET
    enabled: bool | Unset = UNSET


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelUpdate(PartialChange):
    """A new channel, or a change of one."""

    name: str | Unset = UNSET
    kind: ChannelKind | Unset = UNSET
    encrypted_target: bytes | Unset = field(default=UNSET, repr=False)
    target_hint: str | Unset = UNSET
    encrypted_secret: bytes | Unset | None = field(default=UNSET, repr=False)
    title_template: str | Unset | None = UNSET
    body_template: str | Unset | None = UNSET
    enabled: bool | Unset = UNSET
    max_tries: int | Unset = UNSET
    failure_count: int | Unset = UNSET
    last_error: str | Unset | None = UNSET
    held_until: datetime | Unset | None = UNSET
    max_per_minute: int | Unset | None = UNSET


@dataclass(frozen=True, slots=True, kw_only=True)
class NewNotification:
    """A notification that is to be sent."""

    channel_id: int
    rule_id: int | None = None
    kind: str
    #: the content (see `rules.alerts.notification_text`)
    payload: dict[str, Any]
    state: NotificationState
    created_at: datetime
    #: when it is sent, or retried
    due_at: datetime
    try_count: int = 0
    lease_until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NotificationChange(PartialChange):
    """The result of trying to send a notification."""

    state: NotificationState | Unset = UNSET
    sent_at: datetime | Unset = UNSET
    due_at: datetime | Unset = UNSET
    status: int | Unset | None = UNSET
    detail: str | Unset | None = UNSET


@dataclass(frozen=True, slots=True, kw_only=True)
class Notification(NewNotification):
    """One notification: waiting, or with its outcome."""

    id: int
    #: the receiver can recognise a repeated delivery by it
    public_id: str
    sent_at: datetime | None
    #: the receiver's response: its status (None without a response) and a text
    status: int | None
    detail: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryResult:
    """The outcome of one delivery try."""

    is_delivered: bool
    #: the receiver's status; None when it did not respond, or not with a number
    status: int | None = None
    detail: str
    #: how long the receiver wants us to wait; None when it did not say
    pause: timedelta | None = None


class NoticeKind(StrEnum):
    """The kinds of notices; the words are used in payloads and never change."""

    RUN_FAILED = "run.failed"
    RUN_RECOVERED = "run.recovered"
    BREAKER_OPENED = "breaker.opened"
    SOURCE_BLOCKED = "source.blocked"
    SOURCE_DRIFTED = "source.drifted"
    RECORDS_NEW = "records.new"
    RECORDS_CHANGED = "records.changed"
    RECORDS_GONE = "records.gone"
    RECORDS_BACK = "records.back"
    PRICE_FELL = "price.fell"
    PAGES_CHANGED = "pages.changed"
    ALERT_FIRED = "alert.fired"
    ALERT_CLEARED = "alert.cleared"
    TASK_COMPLETED = "task.completed"
    TASK_FAILED = "task.failed"
    #: an operator tests a channel
    TEST = "test"


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """One notice."""

    kind: NoticeKind
    at: datetime
    #: None when it is about the whole installation
    source_id: int | None
    data: dict[str, Any]
