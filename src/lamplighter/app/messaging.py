"""Builds the messenger from the web client stack, the mail client and the vault."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from lamplighter.app.engines import mail_of, vault_of
from lamplighter.app.opening import Store, open_door, open_store
from lamplighter.crawl.alerts.messenger import Messenger
from lamplighter.fetch.door import Door
from lamplighter.ports import Vault
from lamplighter.settings import Settings


def messenger_of(settings: Settings, door: Door, vault: Vault) -> Messenger:
    """The sender of notifications."""
    return Messenger(webhooks=door.webhooks, mail=mail_of(settings), vault=vault, public_url=settings.public_url)


@dataclass(frozen=True, slots=True, kw_only=True)
class Messaging:
    """A database and a messenger."""

    store: Store
    messenger: Messenger


@asynccontextmanager
async def open_messaging(settings: Settings) -> AsyncIterator[Messaging]:
    """Opens the database and a messenger, without a service."""
    async with open_store(settings) as store, open_door(settings, store) as door:
        yield Messaging(store=store, messenger=messenger_of(settings, door, vault_of(settings)))
