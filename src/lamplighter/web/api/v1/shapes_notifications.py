"""What the API about notifications is asked, and how it shows channels, rules and what was told."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, SecretStr

from lamplighter.model.notice import NoticeKind
from lamplighter.model.notification import Channel, ChannelKind, NotificationState
from lamplighter.operations.notification_channels import MOST_TRIES, ChannelSettings
from lamplighter.operations.notification_rules import LONGEST_DIGEST, MOST_IN_A_ROW, RuleSettings, RuleView
from lamplighter.operations.notifications import LogEntry
from lamplighter.rules.notification_template import LONGEST_TEMPLATE
from lamplighter.web.api.values import Line, Text

Name = Annotated[Line, Field(min_length=1, max_length=100)]
Target = Annotated[SecretStr, Field(min_length=1, max_length=2000)]
Secret = Annotated[SecretStr, Field(max_length=500)]
Template = Annotated[Text, Field(max_length=LONGEST_TEMPLATE)]
Tries = Annotated[int, Field(ge=1, le=MOST_TRIES)]
Id = Annotated[Line, Field(max_length=100)]
Threshold = Annotated[int, Field(ge=1, le=MOST_IN_A_ROW)]
DigestMinutes = Annotated[int, Field(ge=0, le=LONGEST_DIGEST)]


class _Given(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ChannelIn(_Given):
    """A channel that is to be added."""

    name: Name
    kind: ChannelKind
    #: a URL, or for email an address; never shown again
    target: Target
    #: signs webhooks, opens an ntfy topic; never shown again
    secret: Secret | None = None
    title_template: Template | None = None
    body_template: Template | None = None
    enabled: bool = True
    max_tries: Tries = 8

    def settings(self) -> ChannelSettings:
        """The same for the operation."""
        return _channel_settings(self.model_dump(exclude_unset=True))


class ChannelChange(_Given):
    """What is to be different; what is left out stays, null takes a template or the secret away."""

    name: Name | None = None
    target: Target | None = None
    secret: Secret | None = None
    title_template: Template | None = None
    body_template: Template | None = None
    enabled: bool | None = None
    max_tries: Tries | None = None

    def settings(self) -> ChannelSettings:
        """The same for the operation."""
        return _channel_settings(self.model_dump(exclude_unset=True))


class ChannelOut(BaseModel):
    """A channel as the API shows it: without its target and its secret."""

    id: str
    name: str
    kind: ChannelKind
    target_hint: str
    has_secret: bool
    title_template: str | None
    body_template: str | None
    enabled: bool
    max_tries: int
    #: in a row
    failure_count: int
    last_sent_at: datetime | None
    last_error: str | None
    #: nothing is sent before then, for its receiver asked for a pause
    held_until: datetime | None
    created_at: datetime
    updated_at: datetime


class ChannelList(BaseModel):
    """All channels."""

    channels: list[ChannelOut]
    total: int


class RuleIn(_Given):
    """A rule that is to be added: of one source, of those with a tag, or of all."""

    channel_id: Id
    kind: NoticeKind
    source_id: Id | None = None
    tag: Id | None = None
    #: failed runs in a row
    threshold: Threshold = 1
    #: told together, so long after the first; null or 0 tells each by itself
    digest_minutes: DigestMinutes | None = None
    enabled: bool = True

    def settings(self) -> RuleSettings:
        """The same for the operation."""
        return _rule_settings(self.model_dump(exclude_unset=True))


class RuleChange(_Given):
    """What is to be different; what is left out stays."""

    channel_id: Id | None = None
    kind: NoticeKind | None = None
    source_id: Id | None = None
    tag: Id | None = None
    threshold: Threshold | None = None
    digest_minutes: DigestMinutes | None = None
    enabled: bool | None = None

    def settings(self) -> RuleSettings:
        """The same for the operation."""
        return _rule_settings(self.model_dump(exclude_unset=True))


class RuleOut(BaseModel):
    """A rule as the API shows it."""

    id: str
    channel_id: str
    channel_name: str
    kind: str
    source_id: str | None
    source_name: str | None
    tag: str | None
    threshold: int
    digest_minutes: int | None
    enabled: bool
    created_at: datetime


class RuleList(BaseModel):
    """Rules of notification."""

    rules: list[RuleOut]
    total: int


class NotificationOut(BaseModel):
    """Something that was or is to be told."""

    id: str
    channel_id: str
    channel_name: str
    channel_kind: ChannelKind
    kind: str
    state: NotificationState
    title: str
    text: str
    created_at: datetime
    due_at: datetime
    try_count: int
    sent_at: datetime | None
    #: what the receiver answered
    status: int | None
    detail: str | None


class NotificationList(BaseModel):
    """A part of the log."""

    notifications: list[NotificationOut]
    total: int
    limit: int
    offset: int


class PreviewIn(_Given):
    """What is to be tried."""

    kind: NoticeKind
    title_template: Template | None = None
    body_template: Template | None = None


class PreviewOut(BaseModel):
    """What it would read like."""

    title: str
    text: str
    #: the JSON that a webhook would be sent
    payload: dict[str, Any]


class ToldOut(BaseModel):
    """What came of a test."""

    delivered: bool
    status: int | None
    detail: str


class RetryIn(_Given):
    """Whose dead notifications are to be tried again; null means of all channels."""

    channel_id: Id | None = None


class RetriedOut(BaseModel):
    """How many are tried again."""

    retried: int


def channel_out(channel: Channel) -> dict[str, Any]:
    """A channel as the API shows it."""
    names = [name for name in ChannelOut.model_fields if name != "id"]
    return {"id": channel.public_id} | {name: getattr(channel, name) for name in names}


def rule_out(view: RuleView) -> dict[str, Any]:
    """A rule as the API shows it."""
    rule = view.rule
    names = ("kind", "tag", "threshold", "digest_minutes", "enabled", "created_at")
    return {name: getattr(rule, name) for name in names} | {
        "id": rule.public_id,
        "channel_id": view.channel_public_id,
        "channel_name": view.channel_name,
        "source_id": view.source_public_id,
        "source_name": view.source_name,
    }


def notification_out(entry: LogEntry) -> dict[str, Any]:
    """A notification as the API shows it."""
    known = entry.notification
    names = ("kind", "state", "created_at", "due_at", "try_count", "sent_at", "status", "detail")
    return {name: getattr(known, name) for name in names} | {
        "id": known.public_id,
        "channel_id": entry.channel_public_id,
        "channel_name": entry.channel_name,
        "channel_kind": entry.channel_kind,
        "title": entry.title,
        "text": entry.text,
    }


def _channel_settings(given: dict[str, Any]) -> ChannelSettings:
    for name in ("target", "secret"):
        if isinstance(given.get(name), SecretStr):
            given[name] = given[name].get_secret_value()
    # Null takes these away, which inside is said by nothing being in them.
    given |= {name: "" for name in ("secret", "title_template", "body_template") if given.get(name, "") is None}
    return ChannelSettings(**given)


def _rule_settings(given: dict[str, Any]) -> RuleSettings:
    nothing = {"source_id": "", "tag": "", "digest_minutes": 0}
    given |= {name: value for name, value in nothing.items() if given.get(name, value) is None}
    named = {"channel_id": "channel", "source_id": "source"}
    return RuleSettings(**{named.get(name, name): value for name, value in given.items()})
