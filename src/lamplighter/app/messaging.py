"""Puts together what tells people: the way out, the mail server, and the keys to what is stored of both."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from lamplighter.app.engines import mail_of, vault_of
from lamplighter.app.opening import Store, open_door, open_store
from lamplighter.crawl.messenger import Messenger
from lamplighter.fetch.door import Door
from lamplighter.ports import Vault
from lamplighter.settings import Settings


def messenger_of(settings: Settings, way: Door, vault: Vault) -> Messenger:
    """What takes notifications to people."""
    return Messenger(webhooks=way.webhooks, mail=mail_of(settings), vault=vault, public_url=settings.public_url)


@dataclass(frozen=True, slots=True, kw_only=True)
class Messaging:
    """What is needed to tell somebody something."""

    store: Store
    messenger: Messenger


@asynccontextmanager
async def open_messaging(settings: Settings) -> AsyncIterator[Messaging]:
    """The database and a messenger, without a service around them."""
    async with open_store(settings) as store, open_door(settings, store) as way:
        yield Messaging(store=store, messenger=messenger_of(settings, way, vault_of(settings)))
