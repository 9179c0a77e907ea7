"""Webhooks of tasks: each is a notification channel, so that it is signed, guarded and retried like any other."""

import hashlib

from lamplighter.crawl.alerts.messenger import Messenger
from lamplighter.errors import BadInput
from lamplighter.model.access import Stamp
from lamplighter.operations.alerts import notification_channels
from lamplighter.operations.alerts.notification_channels import ChannelSettings
from lamplighter.operations.sources.source_input import naming
from lamplighter.store.alerts import notification_channels as stored
from lamplighter.store.engine.database import Connection


async def channel_of(
    db: Connection, url: str | None, secret: str | None, *, messenger: Messenger, stamp: Stamp
) -> int | None:
    """The channel that posts to this URL, signed with the secret; None without a URL."""
    if url is None:
        return None
    if secret is None:
        message = "a webhook_url needs a webhook_secret: it signs what is posted, so that the receiver can verify it"
        raise BadInput(message, field="webhook_secret")
    name = "Tasks " + hashlib.sha256(f"{url} {secret}".encode()).hexdigest()[:16]
    known = await stored.by_name(db, name)
    if known is not None:
        return known.id
    with naming("webhook_url"):
        settings = ChannelSettings(name=name, kind="webhook", target=url, secret=secret)
        channel = await notification_channels.add(db, settings, messenger=messenger, stamp=stamp)
    return channel.id
