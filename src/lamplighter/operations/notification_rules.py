"""Rules of notification: of which happenings which channel tells."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from lamplighter.errors import BadInput, NotFound
from lamplighter.model.notice import NoticeKind
from lamplighter.model.notification import Rule
from lamplighter.operations import notification_channels
from lamplighter.rules.notification_match import WITH_THRESHOLD
from lamplighter.store import audit_log, sources
from lamplighter.store import notification_rules as stored
from lamplighter.store.database import Connection

#: every kind that a rule can be about, in the order of a form
RULE_KINDS = tuple(kind for kind in NoticeKind if kind is not NoticeKind.TEST)
MOST_IN_A_ROW = 100
#: minutes
LONGEST_DIGEST = 24 * 60


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
    #: 1 to 1440; 0 tells each by itself
    digest_minutes: int | None = None
    enabled: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleView:
    """A rule with the names of what it is about."""

    rule: Rule
    channel_public_id: str
    channel_name: str
    source_public_id: str | None
    source_name: str | None


async def listed(db: Connection, *, channel: str | None = None, source_id: int | None = None) -> list[RuleView]:
    """All rules, by channel and kind; those of one channel, or those that name one source."""
    channel_id = (await notification_channels.get(db, channel)).id if channel is not None else None
    return [_view(row) for row in await stored.named(db, channel_id=channel_id, source_id=source_id)]


async def get(db: Connection, public_id: str) -> RuleView:
    """The rule with this id; NotFound."""
    row = await stored.one_named(db, public_id) if public_id.isprintable() else None
    if row is None:
        raise NotFound(f"there is no rule of notification {public_id[:100]!r}", code="rule_not_found")
    return _view(row)


async def add(db: Connection, settings: RuleSettings, *, actor: str, now: datetime) -> RuleView:
    """Stores a rule; BadInput names the field."""
    if settings.channel is None or settings.kind is None:
        missing = "channel" if settings.channel is None else "kind"
        raise BadInput(f"a rule needs a {missing}", field=missing)
    values = {"threshold": 1} | await _values(db, settings)
    _check(values)
    added = await get(db, await stored.add(db, now=now, **values))
    await _note(db, "add", added, actor=actor, now=now, after=_told(added))
    return added


async def change(db: Connection, public_id: str, settings: RuleSettings, *, actor: str, now: datetime) -> RuleView:
    """Changes what is given."""
    known = await get(db, public_id)
    values = await _values(db, settings)
    _check({name: getattr(known.rule, name) for name in ("kind", "source_id", "tag", "threshold")} | values)
    if values:
        await stored.change(db, known.rule.id, **values)
    changed = await get(db, public_id)
    await _note(db, "change", changed, actor=actor, now=now, before=_told(known), after=_told(changed))
    return changed


async def remove(db: Connection, public_id: str, *, actor: str, now: datetime) -> None:
    """Forgets a rule; what it has gathered is still told."""
    known = await get(db, public_id)
    await stored.remove(db, known.rule.id)
    await _note(db, "remove", known, actor=actor, now=now, before=_told(known))


async def _values(db: Connection, settings: RuleSettings) -> dict[str, Any]:
    """The columns of what was given."""
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
    if settings.enabled is not None:
        values["enabled"] = settings.enabled
    return values


def _check(values: Mapping[str, Any]) -> None:
    """What does not go together."""
    if values.get("source_id") is not None and values.get("tag") is not None:
        raise BadInput("a rule is about one source, or about those with a tag, not both", field="tag")
    if values["threshold"] > 1 and values["kind"] not in WITH_THRESHOLD:
        counted = " and ".join(sorted(WITH_THRESHOLD))
        raise BadInput(f"{values['kind']} is not counted in a row; only {counted} are", field="threshold")


def _kind(given: str) -> NoticeKind:
    if given not in RULE_KINDS:
        known = ", ".join(RULE_KINDS)
        raise BadInput(f"{given[:60]!r} is nothing that a rule can be about; there are {known}", field="kind")
    return NoticeKind(given)


async def _source_id(db: Connection, public_id: str) -> int:
    source = await sources.by_public_id(db, public_id) if public_id.isprintable() else None
    if source is None:
        raise BadInput(f"there is no source {public_id[:100]!r}", field="source", code="source_not_found")
    return source.id


def _tag(given: str) -> str | None:
    tag = given.strip()
    if len(tag) > 100 or not tag.isprintable():
        raise BadInput("a tag has 100 characters at most, all of which can be shown", field="tag")
    return tag or None


def within(field: str, value: int, *, least: int, most: int) -> int:
    """The number, if it is none too small or too large."""
    if not least <= value <= most:
        raise BadInput(f"{value} cannot be; from {least} to {most}", field=field)
    return value


def _view(row: Any) -> RuleView:
    names = ("channel_public_id", "channel_name", "source_public_id", "source_name")
    return RuleView(rule=stored.rule_of(row), **{name: getattr(row, name) for name in names})


def _told(view: RuleView) -> dict[str, Any]:
    shown = {name: getattr(view.rule, name) for name in ("kind", "tag", "threshold", "digest_minutes", "enabled")}
    return shown | {"channel": view.channel_name, "source": view.source_name}


async def _note(db: Connection, action: str, view: RuleView, *, actor: str, now: datetime, **changed: Any) -> None:
    action, subject = f"notification_rule.{action}", f"notification rule {view.rule.public_id}"
    await audit_log.write(db, actor=actor, action=action, subject=subject, now=now, **changed)
