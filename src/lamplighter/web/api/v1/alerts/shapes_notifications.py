"""Request and response models of channels, rules and notifications."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, Field, SecretStr

from lamplighter.model.notification import ChannelKind, NoticeKind, NotificationState
from lamplighter.operations.alerts.notification_channels import HIGHEST_RATE, MOST_TRIES, ChannelSettings
from lamplighter.operations.alerts.notification_rules import (
    HIGHEST_PRICE,
    LONGEST_DIGEST,
    LONGEST_WORDS,
    MOST_IN_A_ROW,
    RuleSettings,
)
from lamplighter.rules.alerts.notification_template import LONGEST_TEMPLATE
from lamplighter.web.api.envelope import taken_from
from lamplighter.web.values import Given, Line, Text

Name = Annotated[Line, Field(min_length=1, max_length=100)]
Target = Annotated[SecretStr, Field(min_length=1, max_length=2000)]
Secret = Annotated[SecretStr, Field(max_length=500)]
Template = Annotated[Text, Field(max_length=LONGEST_TEMPLATE)]
Tries = Annotated[int, Field(ge=1, le=MOST_TRIES)]
Id = Annotated[Line, Field(max_length=100)]
Threshold = Annotated[int, Field(ge=1, le=MOST_IN_A_ROW)]
Rate = Annotated[int, Field(ge=0, le=HIGHEST_RATE)]
Words = Annotated[Line, Field(max_length=LONGEST_WORDS)]
Price = Annotated[float, Field(ge=0, lt=HIGHEST_PRICE)]
DigestMinutes = Annotated[int, Field(ge=0, le=LONGEST_DIGEST)]


class _ChannelFields(Given):
    def settings(self) -> ChannelSettings:
        """The channel settings."""
        given = self.model_dump(exclude_unset=True)
        for name in ("target", "secret"):
            if isinstance(given.get(name), SecretStr):
                given[name] = given[name].get_secret_value()
        # The operation clears a field that is empty; here null clears it.
        given |= {name: "" for name in ("secret", "title_template", "body_template") if given.get(name, "") is None}
        given |= {"max_per_minute": 0} if given.get("max_per_minute", 0) is None else {}
        return ChannelSettings(**given)


class ChannelIn(_ChannelFields):
    """A channel to add."""

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
    #: tries in a minute; what is beyond is gathered; 0 or null is no limit; left out: 60 for a webhook, else 10
    max_per_minute: Rate | None = None


class ChannelChange(_ChannelFields):
    """Fields to change; omitted fields stay, null clears a template or the secret."""

    name: Name | None = None
    target: Target | None = None
    secret: Secret | None = None
    title_template: Template | None = None
    body_template: Template | None = None
    enabled: bool | None = None
    max_tries: Tries | None = None
    #: 0 or null is no limit
    max_per_minute: Rate | None = None


class ChannelOut(BaseModel):
    """A channel in responses: without its target and secret."""

    id: str = taken_from("public_id")
    name: str
    kind: ChannelKind
    target_hint: str = Field(examples=["https://hooks.example.org"])
    has_secret: bool
    title_template: str | None
    body_template: str | None
    enabled: bool
    max_tries: int
    #: failures in a row
    failure_count: int
    last_sent_at: datetime | None
    last_error: str | None
    #: the receiver asked for a pause: nothing is sent before then
    held_until: datetime | None
    #: tries in a minute; what is beyond is gathered; null is no limit
    max_per_minute: int | None
    created_at: datetime
    updated_at: datetime


class ChannelList(BaseModel):
    """All channels."""

    channels: list[ChannelOut]
    total: int


class _RuleFields(Given):
    def settings(self) -> RuleSettings:
        """The rule settings."""
        given = self.model_dump(exclude_unset=True)
        nothing = {"source_id": "", "tag": "", "digest_minutes": 0, "words": "", "field": "", "price_below": 0.0}
        given |= {name: value for name, value in nothing.items() if given.get(name, value) is None}
        named = {"channel_id": "channel", "source_id": "source"}
        return RuleSettings(**{named.get(name, name): value for name, value in given.items()})


class RuleIn(_RuleFields):
    """A rule to add: for one source, those with a tag, or all."""

    channel_id: Id
    kind: NoticeKind
    source_id: Id | None = None
    tag: Id | None = None
    #: failed runs in a row
    threshold: Threshold = 1
    #: sent together, so long after the first; null or 0 sends each by itself; left out: 10 for records and pages, 5
    #: for runs and sources, 1 for alerts, none for tasks
    digest_minutes: DigestMinutes | None = None
    #: only records with one of these words in title or text, separated by commas
    words: Words | None = None
    #: records.changed: only changes of this field, as in deadline or price
    field: Id | None = None
    #: price.fell: the price that it fell below
    price_below: Price | None = None
    #: also what a source's first complete run finds
    with_baseline: bool = False
    enabled: bool = True


class RuleChange(_RuleFields):
    """Fields to change; omitted fields stay."""

    channel_id: Id | None = None
    kind: NoticeKind | None = None
    source_id: Id | None = None
    tag: Id | None = None
    threshold: Threshold | None = None
    digest_minutes: DigestMinutes | None = None
    words: Words | None = None
    field: Id | None = None
    price_below: Price | None = None
    with_baseline: bool | None = None
    enabled: bool | None = None


class NotificationRuleOut(BaseModel):
    """A rule in responses."""

    id: str = taken_from("rule", "public_id")
    channel_id: str = taken_from("channel_public_id")
    channel_name: str
    kind: str = taken_from("rule", "kind", examples=["run.failed"])
    source_id: str | None = taken_from("source_public_id")
    source_name: str | None
    tag: str | None = taken_from("rule", "tag")
    threshold: int = taken_from("rule", "threshold")
    digest_minutes: int | None = taken_from("rule", "digest_minutes")
    words: str | None = taken_from("rule", "words")
    field: str | None = taken_from("rule", "record_field")
    price_below: float | None = taken_from("rule", "price_below")
    with_baseline: bool = taken_from("rule", "with_baseline")
    enabled: bool = taken_from("rule", "enabled")
    created_at: datetime = taken_from("rule", "created_at")


class RuleList(BaseModel):
    """Notification rules."""

    rules: list[NotificationRuleOut]
    total: int


class NotificationOut(BaseModel):
    """A notification, sent or waiting."""

    id: str = taken_from("notification", "public_id")
    channel_id: str = taken_from("channel_public_id")
    channel_name: str
    channel_kind: ChannelKind
    kind: str = taken_from("notification", "kind")
    state: NotificationState = taken_from("notification", "state")
    title: str = Field(examples=["Example jobs: run failed 3 times in a row"])
    text: str = Field(examples=["Run 12 of Example jobs failed: timeout: timed out"])
    created_at: datetime = taken_from("notification", "created_at")
    due_at: datetime = taken_from("notification", "due_at")
    try_count: int = taken_from("notification", "try_count")
    sent_at: datetime | None = taken_from("notification", "sent_at")
    #: the HTTP status of the receiver
    status: int | None = taken_from("notification", "status")
    detail: str | None = taken_from("notification", "detail", examples=["HTTP 200"])


class PreviewIn(Given):
    """Templates to try."""

    kind: NoticeKind
    title_template: Template | None = None
    body_template: Template | None = None
    #: of which records, as in a rule
    source_id: Id | None = None
    tag: Id | None = None
    words: Words | None = None
    field: Id | None = None
    price_below: Price | None = None

    def rule(self) -> RuleSettings:
        """The rule that is previewed."""
        return RuleSettings(
            kind=None if self.kind is NoticeKind.TEST else self.kind,
            source=self.source_id,
            tag=self.tag,
            words=self.words,
            field=self.field,
            price_below=self.price_below,
        )


class PreviewOut(BaseModel):
    """The rendered message."""

    title: str
    text: str
    #: false: it shows records of this installation; true: nothing here matches, so an example is shown
    is_example: bool
    #: the JSON that a webhook would receive
    payload: dict[str, Any] = Field(
        examples=[{"event": "test", "timestamp": "2026-03-14T12:00:00Z", "data": {"source": None, "by": "anna"}}]
    )


class ToldOut(BaseModel):
    """A test's result."""

    delivered: bool = taken_from("is_delivered")
    status: int | None
    detail: str


class RetryIn(Given):
    """The channel whose dead notifications are retried; null means all."""

    channel_id: Id | None = None


class RetriedOut(BaseModel):
    """How many are retried."""

    retried: int
