"""Who is told of what happens, by which way, and what became of each telling."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any


class ChannelKind(StrEnum):
    """The ways by which somebody can be told."""

    WEBHOOK = "webhook"
    EMAIL = "email"
    SLACK = "slack"
    NTFY = "ntfy"


class NotificationState(StrEnum):
    """Where a notification stands."""

    #: a digest that is still being added to
    GATHERING = "gathering"
    PENDING = "pending"
    SENT = "sent"
    #: given up after as many tries as its channel allows
    DEAD = "dead"
    #: its channel was switched off before it left
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """A way to somebody, as its operator sees it: without its target and its secret."""

    id: int
    public_id: str
    name: str
    kind: ChannelKind
    #: scheme and host of the target, or the domain of the address
    target_hint: str
    has_secret: bool
    #: None takes the usual words
    title_template: str | None
    body_template: str | None
    enabled: bool
    #: how often one notification is tried
    max_tries: int
    #: in a row
    failure_count: int
    last_sent_at: datetime | None
    last_error: str | None
    #: nothing is sent before then, for its receiver asked for a pause
    held_until: datetime | None
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedChannel:
    """The same with what opens it, still encrypted."""

    channel: Channel
    target: bytes = field(repr=False)
    secret: bytes | None = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Who is told of which happenings, and how eagerly."""

    id: int
    public_id: str
    channel_id: int
    kind: str
    #: of one source, or of those with a tag; None both means of all
    source_id: int | None
    tag: str | None
    #: from so many in a row on; 1 means at once
    threshold: int
    #: told together, so long after the first; None tells each by itself
    digest_minutes: int | None
    enabled: bool
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Notification:
    """One telling: to be done, or what became of it."""

    id: int
    #: also what the receiver tells a second delivery by
    public_id: str
    channel_id: int
    rule_id: int | None
    kind: str
    #: what there is to tell (see `rules.notification_text`)
    payload: dict[str, Any]
    state: NotificationState
    created_at: datetime
    #: when it is sent, or tried again
    due_at: datetime
    try_count: int
    lease_until: datetime | None
    sent_at: datetime | None
    #: what the receiver answered, as a number (None when nothing came) and in words
    status: int | None
    detail: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What came of one try to tell somebody."""

    is_delivered: bool
    #: what the receiver answered; None when it did not, or not in numbers
    status: int | None = None
    detail: str
    #: for how long the receiver wants to be left alone; None when it did not say
    pause: timedelta | None = None
