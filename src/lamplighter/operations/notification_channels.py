"""Channels: the ways by which people are told. What a target is stays a secret; it goes in and never comes out."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from lamplighter.crawl.messenger import Messenger
from lamplighter.errors import BadInput, Duplicate, NotFound
from lamplighter.model.notification import Channel, ChannelKind
from lamplighter.operations.source_wish import naming
from lamplighter.rules import notification_target, notification_template
from lamplighter.store import audit_log, notification_channels, notifications
from lamplighter.store.database import Connection

MOST_TRIES = 20
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


async def listed(db: Connection) -> list[Channel]:
    """All channels, by name."""
    return await notification_channels.listed(db)


async def get(db: Connection, public_id: str) -> Channel:
    """The channel with this id; NotFound."""
    channel = await notification_channels.by_public_id(db, public_id) if public_id.isprintable() else None
    if channel is None:
        raise NotFound(f"there is no channel {public_id[:100]!r}", code="channel_not_found")
    return channel


async def add(db: Connection, settings: ChannelSettings, *, messenger: Messenger, actor: str, now: datetime) -> Channel:
    """Stores a channel; BadInput names the field (name, kind, target, secret, title_template, body_template, …)."""
    if settings.target is None:
        raise BadInput("a channel needs a target: a URL, or an e-mail address", field="target", code="invalid_target")
    kind = _kind(settings.kind)
    values = {"kind": kind, "name": _name(settings.name or "")} | _values(settings, kind, messenger)
    await _refuse_twin(db, str(values["name"]), of=None)
    channel_id = await notification_channels.add(db, now=now, **values)
    channel = (await notification_channels.many(db, [channel_id]))[channel_id]
    await _note(db, "add", channel, actor=actor, now=now, after=_told(values))
    return channel


async def change(
    db: Connection, public_id: str, settings: ChannelSettings, *, messenger: Messenger, actor: str, now: datetime
) -> Channel:
    """Changes what is given; what waits for a channel that is switched off is cancelled.

    A target that is given without a secret is refused while there is one: it would be handed to whoever is there.
    """
    channel = await get(db, public_id)
    if settings.kind is not None and settings.kind != channel.kind:
        raise BadInput(f"{channel.name} is a {channel.kind}; add another channel instead", field="kind")
    values = _values(settings, channel.kind, messenger)
    if channel.has_secret and "encrypted_target" in values and "encrypted_secret" not in values:
        raise BadInput(
            "the secret is not handed to another target; give it anew, or take it away",
            field="secret",
            code="secret_needed",
        )
    if settings.name is not None:
        values["name"] = _name(settings.name)
        await _refuse_twin(db, values["name"], of=channel.id)
    if "encrypted_target" in values:  # what went wrong, went wrong elsewhere
        values |= {"failure_count": 0, "last_error": None, "held_until": None}
    await notification_channels.change(db, channel.id, now=now, **values)
    if settings.enabled is False:
        await notifications.cancel_open(db, channel.id, detail="its channel was switched off")
    before = {name: getattr(channel, name) for name in values if hasattr(channel, name)}
    await _note(db, "change", channel, actor=actor, now=now, before=before, after=_told(values))
    return await get(db, public_id)


async def remove(db: Connection, public_id: str, *, actor: str, now: datetime) -> None:
    """Forgets a channel with its rules and its log."""
    channel = await get(db, public_id)
    await notification_channels.remove(db, channel.id)
    before = {"kind": channel.kind, "target_hint": channel.target_hint}
    await _note(db, "remove", channel, actor=actor, now=now, before=before)


def _values(settings: ChannelSettings, kind: ChannelKind, messenger: Messenger) -> dict[str, Any]:
    """The columns of what was given, other than name and kind."""
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
            raise BadInput(f"{settings.max_tries} tries cannot be; from 1 to {MOST_TRIES}", field="max_tries")
        values["max_tries"] = settings.max_tries
    if settings.enabled is not None:
        values["enabled"] = settings.enabled
    return values


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
        raise BadInput(f"{(given or '')[:60]!r} is no kind of channel; there are {known}", field="kind") from None


def _name(given: str) -> str:
    name = " ".join(given.split())
    if not 1 <= len(name) <= 100 or not name.isprintable():
        raise BadInput("a channel has a name of 1 to 100 characters", field="name", code="invalid_name")
    return name


async def _refuse_twin(db: Connection, name: str, *, of: int | None) -> None:
    twin = await notification_channels.by_name(db, name)
    if twin is not None and twin.id != of:
        raise Duplicate(f"there is a channel {name!r} already; give this one another name", field="name")


def _told(values: Mapping[str, Any]) -> dict[str, Any]:
    """What the audit log may tell: of secrets only that they were set."""
    shown = {name: value for name, value in values.items() if not name.startswith("encrypted_")}
    return shown | ({"secret": "(set)" if values["encrypted_secret"] else None} if "encrypted_secret" in values else {})


async def _note(db: Connection, action: str, channel: Channel, *, actor: str, now: datetime, **changed: Any) -> None:
    action, subject = f"notification_channel.{action}", f"notification channel {channel.name}"
    await audit_log.write(db, actor=actor, action=action, subject=subject, now=now, **changed)
