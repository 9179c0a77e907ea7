"""Notification channels: add, change, remove. Targets are stored encrypted and never shown again."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lamplighter.crawl.alerts.messenger import Messenger
from lamplighter.errors import BadInput, Duplicate, NotFound
from lamplighter.model.access import Stamp
from lamplighter.model.fields import UNSET
from lamplighter.model.notification import Channel, ChannelKind, ChannelUpdate
from lamplighter.operations.sources.source_input import naming
from lamplighter.rules.alerts import notification_target, notification_template
from lamplighter.rules.alerts.notification_match import USUAL_RATE
from lamplighter.store.access import audit_log
from lamplighter.store.alerts import notification_channels, notifications
from lamplighter.store.engine.database import Connection

MOST_TRIES = 20
#: tries in a minute
HIGHEST_RATE = 1000
#: kinds for which a secret means something: it signs, or it opens the topic
WITH_SECRET = (ChannelKind.WEBHOOK, ChannelKind.NTFY)
_SECRET = re.compile(r"[\x21-\x7e]{1,500}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelSettings:
    """What an operator says of a channel; None leaves it as it is, "" takes a template or the secret away."""

    name: str | None = None
    #: webhook, email, slack or ntfy; cannot be changed afterwards
    kind: str | None = None
    #: a URL, or for email an address
    target: str | None = field(default=None, repr=False)
    #: signs webhooks, opens an ntfy topic
    secret: str | None = field(default=None, repr=False)
    title_template: str | None = None
    body_template: str | None = None
    enabled: bool | None = None
    #: 1 to 20
    max_tries: int | None = None
    #: 1 to 1000; 0 means without a limit; None on adding means the usual rate of its kind
    max_per_minute: int | None = None


async def get(db: Connection, public_id: str) -> Channel:
    """The channel with this id; NotFound."""
    channel = await notification_channels.by_public_id(db, public_id) if public_id.isprintable() else None
    if channel is None:
        raise NotFound(f"there is no channel {public_id[:100]!r}", code="channel_not_found")
    return channel


async def add(db: Connection, settings: ChannelSettings, *, messenger: Messenger, stamp: Stamp) -> Channel:
    """Stores a channel; BadInput names the field (name, kind, target, secret, title_template, body_template, …)."""
    if settings.target is None:
        raise BadInput("a channel needs a target: a URL, or an e-mail address", field="target", code="invalid_target")
    kind = _kind(settings.kind)
    name = _name(settings.name or "")
    usual = ChannelUpdate(kind=kind, name=name, max_per_minute=USUAL_RATE[kind])
    new = usual | _change_of(settings, kind, messenger)
    await _refuse_twin(db, name, of=None)
    channel_id = await notification_channels.add(db, new, now=stamp.now)
    channel = (await notification_channels.many(db, [channel_id]))[channel_id]
    await _note(db, "add", channel, stamp=stamp, after=_audited(new.said()))
    return channel


async def change(
    db: Connection, public_id: str, settings: ChannelSettings, *, messenger: Messenger, stamp: Stamp
) -> Channel:
    """Changes what is given; what waits for a channel that is switched off is cancelled.

    A new target without a secret is refused while one is stored: the secret would be sent to the new target.
    """
    channel = await get(db, public_id)
    if settings.kind is not None and settings.kind != channel.kind:
        raise BadInput(f"{channel.name} is a {channel.kind}; add another channel instead", field="kind")
    change = _change_of(settings, channel.kind, messenger)
    has_target = change.encrypted_target is not UNSET
    if channel.has_secret and has_target and change.encrypted_secret is UNSET:
        raise BadInput(
            "the secret is not reused for another target; set it again, or remove it",
            field="secret",
            code="secret_needed",
        )
    if settings.name is not None:
        name = _name(settings.name)
        change |= ChannelUpdate(name=name)
        await _refuse_twin(db, name, of=channel.id)
    if has_target:  # failures were those of the old target
        change |= ChannelUpdate(failure_count=0, last_error=None, held_until=None)
    await notification_channels.change(db, channel.id, change, now=stamp.now)
    if settings.enabled is False:
        await notifications.cancel_open(db, channel.id, detail="its channel was disabled")
    values = change.said()
    before = {name: getattr(channel, name) for name in values if hasattr(channel, name)}
    await _note(db, "change", channel, stamp=stamp, before=before, after=_audited(values))
    return await get(db, public_id)


async def remove(db: Connection, public_id: str, *, stamp: Stamp) -> None:
    """Forgets a channel with its rules and its log."""
    channel = await get(db, public_id)
    await notification_channels.remove(db, channel.id)
    before = {"kind": channel.kind, "target_hint": channel.target_hint}
    await _note(db, "remove", channel, stamp=stamp, before=before)


def _change_of(settings: ChannelSettings, kind: ChannelKind, messenger: Messenger) -> ChannelUpdate:
    """What was given, other than name and kind."""
    values: dict[str, Any] = {}
    if settings.target is not None:
        target = notification_target.parse(kind, settings.target)
        if (refusal := messenger.refusal_of(kind, target)) is not None:
            raise BadInput(refusal, field="target", code="target_refused")
        values |= {"encrypted_target": messenger.vault.encrypt(target.address), "target_hint": target.hint}
    if settings.secret is not None:
        values["encrypted_secret"] = _sealed(settings.secret, kind, messenger)
    for name in ("title_template", "body_template"):
        if (template := getattr(settings, name)) is not None:
            with naming(name):
                notification_template.check(template)
            values[name] = template if template.strip() else None
    if settings.max_tries is not None:
        if not 1 <= settings.max_tries <= MOST_TRIES:
            raise BadInput(f"{settings.max_tries} tries are out of range; use 1 to {MOST_TRIES}", field="max_tries")
        values["max_tries"] = settings.max_tries
    if settings.max_per_minute is not None:
        if not 0 <= settings.max_per_minute <= HIGHEST_RATE:
            given = settings.max_per_minute
            message = f"{given} a minute is out of range; use 1 to {HIGHEST_RATE}, or 0 for no limit"
            raise BadInput(message, field="max_per_minute")
        values["max_per_minute"] = settings.max_per_minute or None
    if settings.enabled is not None:
        values["enabled"] = settings.enabled
    return ChannelUpdate(**values)


def _sealed(secret: str, kind: ChannelKind, messenger: Messenger) -> bytes | None:
    if not secret:
        return None
    if kind not in WITH_SECRET:
        raise BadInput(f"a channel of the kind {kind} has no secret; leave it out", field="secret")
    if not _SECRET.fullmatch(secret):
        raise BadInput("a secret has up to 500 printable ASCII characters and no spaces", field="secret")
    return messenger.vault.encrypt(secret)


def _kind(given: str | None) -> ChannelKind:
    try:
        return ChannelKind(given or "")
    except ValueError:
        known = ", ".join(ChannelKind)
        raise BadInput(f"{(given or '')[:60]!r} is not a kind of channel; use {known}", field="kind") from None


def _name(given: str) -> str:
    name = " ".join(given.split())
    if not 1 <= len(name) <= 100 or not name.isprintable():
        raise BadInput("the name of a channel has 1 to 100 characters", field="name", code="invalid_name")
    return name


async def _refuse_twin(db: Connection, name: str, *, of: int | None) -> None:
    twin = await notification_channels.by_name(db, name)
    if twin is not None and twin.id != of:
        raise Duplicate(f"the channel {name!r} exists already; choose another name", field="name")


def _audited(values: Mapping[str, Any]) -> dict[str, Any]:
    """What the audit log may show: of secrets only that they were set."""
    shown = {name: value for name, value in values.items() if not name.startswith("encrypted_")}
    return shown | ({"secret": "(set)" if values["encrypted_secret"] else None} if "encrypted_secret" in values else {})


async def _note(db: Connection, action: str, channel: Channel, *, stamp: Stamp, **changed: Any) -> None:
    action, subject = f"notification_channel.{action}", f"notification channel {channel.name}"
    await audit_log.write(db, stamp, action, subject, **changed)
