"""Notification rules: which notices are sent to which channel."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from lamplighter.errors import BadInput, NotFound
from lamplighter.model.access import Stamp
from lamplighter.model.notification import NoticeKind, NotificationRule, RuleUpdate
from lamplighter.operations.alerts import notification_channels
from lamplighter.rules.alerts import record_watch
from lamplighter.rules.alerts.notification_match import WITH_THRESHOLD, usual_digest
from lamplighter.rules.alerts.record_watch import RECORD_KINDS
from lamplighter.store.access import audit_log
from lamplighter.store.alerts import notification_channels as stored_channels
from lamplighter.store.alerts import notification_rules as stored
from lamplighter.store.engine.database import Connection
from lamplighter.store.sources import sources

#: every kind that a rule can be about, in the order of a form
RULE_KINDS = tuple(kind for kind in NoticeKind if kind is not NoticeKind.TEST)
MOST_IN_A_ROW = 100
#: minutes
LONGEST_DIGEST = 7 * 24 * 60
LONGEST_WORDS = 500
HIGHEST_PRICE = 1e12
#: column, field of the input, the kinds that have it
ONLY_FOR = (
    ("words", "words", RECORD_KINDS),
    ("record_field", "field", frozenset({NoticeKind.RECORDS_CHANGED})),
    ("price_below", "price_below", frozenset({NoticeKind.PRICE_FELL})),
)
_CHECKED = ("kind", "source_id", "tag", "threshold", "words", "record_field", "price_below")
_SHOWN = (*("kind", "tag", "threshold", "digest_minutes", "words", "record_field", "price_below"), "with_baseline")


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSettings:
    """What an operator says of a rule; None leaves it as it is."""

    #: public id of the channel
    channel: str | None = None
    #: one of RULE_KINDS
    kind: str | None = None
    #: public id of a source; "" means of any
    source: str | None = None
    #: "" means of any
    tag: str | None = None
    #: 1 to 100
    threshold: int | None = None
    #: 1 to 10080 (a week); 0 sends each notice by itself; None on adding means the usual time of its kind
    digest_minutes: int | None = None
    #: words or phrases, separated by commas; "" means any
    words: str | None = None
    #: a field of a record; "" means any
    field: str | None = None
    #: above 0; 0 means any
    price_below: float | None = None
    with_baseline: bool | None = None
    enabled: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleView:
    """A rule with the names of what it is about."""

    rule: NotificationRule
    channel_public_id: str
    channel_name: str
    source_public_id: str | None
    source_name: str | None


async def listed(db: Connection, *, channel: str | None = None) -> list[RuleView]:
    """All rules, or those of one channel, by channel and kind."""
    channel_id = (await notification_channels.get(db, channel)).id if channel is not None else None
    return [_view(row) for row in await stored.named(db, channel_id=channel_id)]


async def get(db: Connection, public_id: str) -> RuleView:
    """The rule with this id; NotFound."""
    row = await stored.one_named(db, public_id) if public_id.isprintable() else None
    if row is None:
        raise NotFound(f"there is no notification rule {public_id[:100]!r}", code="rule_not_found")
    return _view(row)


async def add(db: Connection, settings: RuleSettings, *, stamp: Stamp) -> RuleView:
    """Stores a rule; BadInput names the field."""
    if settings.channel is None or settings.kind is None:
        missing = "channel" if settings.channel is None else "kind"
        raise BadInput(f"a rule needs a {missing}", field=missing)
    usual = RuleUpdate(threshold=1, digest_minutes=usual_digest(_kind(settings.kind)))
    new = usual | await meant(db, settings)
    _check(new.said())
    added = await get(db, await stored.add(db, new, now=stamp.now))
    await _note(db, "add", added, stamp=stamp, after=_audited(added))
    return added


async def change(db: Connection, public_id: str, settings: RuleSettings, *, stamp: Stamp) -> RuleView:
    """Changes what is given."""
    known = await get(db, public_id)
    change = await meant(db, settings)
    _check({name: getattr(known.rule, name) for name in _CHECKED} | change.said())
    if change:
        await stored.change(db, known.rule.id, change)
    changed = await get(db, public_id)
    await _note(db, "change", changed, stamp=stamp, before=_audited(known), after=_audited(changed))
    return changed


async def remove(db: Connection, public_id: str, *, stamp: Stamp) -> None:
    """Removes a rule; the notices it has gathered are still sent."""
    known = await get(db, public_id)
    await stored.remove(db, known.rule.id)
    await _note(db, "remove", known, stamp=stamp, before=_audited(known))


async def meant(db: Connection, settings: RuleSettings) -> RuleUpdate:
    """The update for the settings that were given; BadInput names the field."""
    values: dict[str, Any] = {}
    if settings.channel is not None:
        try:
            values["channel_id"] = (await notification_channels.get(db, settings.channel)).id
        except NotFound as error:
            raise BadInput(str(error), field="channel", code="channel_not_found") from None
    if settings.kind is not None:
        values["kind"] = _kind(settings.kind)
    if settings.source is not None:
        values["source_id"] = await _source_id(db, settings.source) if settings.source else None
    if settings.tag is not None:
        values["tag"] = _tag(settings.tag)
    if settings.threshold is not None:
        values["threshold"] = within("threshold", settings.threshold, least=1, most=MOST_IN_A_ROW)
    if settings.digest_minutes is not None:
        values["digest_minutes"] = (
            within("digest_minutes", settings.digest_minutes, least=0, most=LONGEST_DIGEST) or None
        )
    for name in ("enabled", "with_baseline"):
        if (given := getattr(settings, name)) is not None:
            values[name] = given
    return RuleUpdate(**values, **_watch_of(settings))


def _watch_of(settings: RuleSettings) -> dict[str, Any]:
    """The columns of what the rule watches, as far as it was given."""
    values: dict[str, Any] = {}
    if settings.words is not None:
        if len(settings.words) > LONGEST_WORDS or not settings.words.isprintable():
            raise BadInput(f"the words have up to {LONGEST_WORDS} printable characters", field="words")
        values["words"] = ", ".join(record_watch.alternatives(settings.words)) or None
    if settings.field is not None:
        field = settings.field.strip()
        if len(field) > 100 or not field.isprintable():
            raise BadInput("a field has up to 100 printable characters, as in deadline or price", field="field")
        values["record_field"] = field or None
    if settings.price_below is not None:
        if not 0 <= settings.price_below < HIGHEST_PRICE:
            raise BadInput(f"{settings.price_below} is no price; use a number above 0", field="price_below")
        values["price_below"] = settings.price_below or None
    return values


def _check(values: Mapping[str, Any]) -> None:
    """Refuses combinations that are not valid."""
    if values.get("source_id") is not None and values.get("tag") is not None:
        raise BadInput("a rule applies to one source or to a tag, not to both", field="tag")
    if values["threshold"] > 1 and values["kind"] not in WITH_THRESHOLD:
        counted = " and ".join(sorted(WITH_THRESHOLD))
        raise BadInput(f"{values['kind']} has no threshold; only {counted} have one", field="threshold")
    for name, field, kinds in ONLY_FOR:
        if values.get(name) is not None and values["kind"] not in kinds:
            raise BadInput(f"{values['kind']} has no {field}; only {', '.join(sorted(kinds))} have", field=field)
    if values["kind"] == NoticeKind.PRICE_FELL and values.get("price_below") is None:
        raise BadInput("price.fell needs a price; give price_below, as in 100", field="price_below")


def _kind(given: str) -> NoticeKind:
    if given not in RULE_KINDS:
        raise BadInput(f"{given[:60]!r} is not a kind of event; use {', '.join(RULE_KINDS)}", field="kind")
    return NoticeKind(given)


async def _source_id(db: Connection, public_id: str) -> int:
    source = await sources.by_public_id(db, public_id) if public_id.isprintable() else None
    if source is None:
        raise BadInput(f"there is no source {public_id[:100]!r}", field="source", code="source_not_found")
    return source.id


def _tag(given: str) -> str | None:
    tag = given.strip()
    if len(tag) > 100 or not tag.isprintable():
        raise BadInput("a tag has up to 100 printable characters", field="tag")
    return tag or None


def within(field: str, value: int, *, least: int, most: int) -> int:
    """The number, if it is in range."""
    if not least <= value <= most:
        raise BadInput(f"{value} is out of range; use {least} to {most}", field=field)
    return value


def _view(row: Any) -> RuleView:
    names = ("channel_public_id", "channel_name", "source_public_id", "source_name")
    return RuleView(rule=stored.rule_of(row), **{name: getattr(row, name) for name in names})


def _audited(view: RuleView) -> dict[str, Any]:
    shown = {name: getattr(view.rule, name) for name in (*_SHOWN, "enabled")}
    return shown | {"channel": view.channel_name, "source": view.source_name}


async def _note(db: Connection, action: str, view: RuleView, *, stamp: Stamp, **changed: Any) -> None:
    action, subject = f"notification_rule.{action}", f"notification rule {view.rule.public_id}"
    await audit_log.write(db, stamp, action, subject, **changed)


@dataclass(frozen=True, slots=True, kw_only=True)
class SubscribedRule:
    """A rule that is about a source."""

    view: RuleView
    #: False if the rule or its channel is disabled
    is_on: bool


async def of_source(db: Connection, source_id: int, tags: Collection[str]) -> list[SubscribedRule]:
    """The rules that are about this source: by its id, by one of its tags, or about all."""
    working = {channel.id for channel in await stored_channels.listed(db) if channel.enabled}
    return [
        SubscribedRule(view=view, is_on=view.rule.enabled and view.rule.channel_id in working)
        for view in await listed(db)
        if view.rule.source_id in (None, source_id) and (view.rule.tag is None or view.rule.tag in tags)
    ]
