"""Channels, rules and the loops about them, stepped by hand; receivers that keep what they are told."""

import asyncio
import hashlib
import hmac
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import sqlalchemy as sa

from lamplighter.adapters.key_ring import KeyRing
from lamplighter.adapters.messaging.smtp import Smtp
from lamplighter.crawl.alerts.messenger import Messenger
from lamplighter.crawl.alerts.notification_routing import NotificationRouting
from lamplighter.crawl.alerts.notification_sender import NotificationSender
from lamplighter.fetch.address_guard import AddressGuard
from lamplighter.fetch.webhooks import Webhooks
from lamplighter.model.access import Stamp
from lamplighter.model.notification import Notice
from lamplighter.operations.alerts import notification_channels, notification_rules
from lamplighter.operations.alerts.notification_channels import ChannelSettings
from lamplighter.operations.alerts.notification_rules import RuleSettings
from lamplighter.ports import Clock
from lamplighter.rules.urls.addresses import AllowList
from lamplighter.store.alerts import notices
from lamplighter.store.engine.database import Database
from lamplighter.store.schema import tables
from tests.fetch.client_stack import Names, a_client
from tests.origin import Answer, Origin, Request, Script

_KEY = "bGFtcGxpZ2h0ZXItdGVzdHMtb25seS1rZXktMzJieXQ="
HOOK = "/hook"


class Receiver:
    """Somebody at a path of an origin who wants to be told."""

    def __init__(self, origin: Origin, path: str = HOOK, *answers: Script) -> None:
        self.url = origin.url + path
        self.requests: list[Request] = []
        self._answers = list(answers)
        origin.route(path, self._hear)

    def _hear(self, request: Request) -> Answer:
        self.requests.append(request)
        script = self._answers.pop(0) if len(self._answers) > 1 else (self._answers or [Answer()])[0]
        return script if isinstance(script, Answer) else script(request)

    @property
    def told(self) -> list[dict[str, Any]]:
        """The bodies, read."""
        return [json.loads(request.body) for request in self.requests]

    @property
    def keys(self) -> list[str]:
        """By what it knows a second delivery."""
        return [request.headers["idempotency-key"] for request in self.requests]


def is_signed(request: Request, secret: str) -> bool:
    """What a receiver does to know that a webhook is ours."""
    given = dict(part.split("=", 1) for part in request.headers["x-lamplighter-signature"].split(","))
    expected = hmac.new(secret.encode(), given["t"].encode() + b"." + request.body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(given["v1"], expected)


class Switchboard:
    """Who is told of what."""

    def __init__(self, db: Database, clock: Clock, messenger: Messenger) -> None:
        self.db = db
        self.clock = clock
        self.messenger = messenger
        self.hand_out = NotificationRouting(db, clock=clock)
        self.notify = NotificationSender(db, messenger=messenger, clock=clock, stopping=asyncio.Event())

    async def channel(self, target: str, *, kind: str = "webhook", name: str = "ops", **more: Any) -> str:
        """Adds a channel, and returns its id."""
        settings = ChannelSettings(name=name, kind=kind, target=target, **more)
        added = await self.db.write(
            lambda db: notification_channels.add(
                db, settings, messenger=self.messenger, stamp=Stamp("test", self.clock.now())
            )
        )
        return added.public_id

    async def rule(self, channel: str, kind: str, **more: Any) -> str:
        """Adds a rule, at once unless it says otherwise, and returns its id."""
        settings = RuleSettings(**{"channel": channel, "kind": kind, "digest_minutes": 0} | more)
        added = await self.db.write(
            lambda db: notification_rules.add(db, settings, stamp=Stamp("test", self.clock.now()))
        )
        return added.rule.public_id

    async def note(self, *happened: Notice) -> None:
        """Something happens."""
        await self.db.write(lambda db: notices.write(db, happened))

    async def turn(self) -> None:
        """One step of both loops."""
        await self.hand_out.hand_out()
        await self.notify.send_due()

    async def rows(self) -> list[Any]:
        """Every notification, the oldest first."""
        async with self.db.read() as db:
            return list((await db.execute(sa.select(tables.notifications).order_by(tables.notifications.c.id))).all())


@asynccontextmanager
async def switchboard(
    db: Database, clock: Clock, *receivers: Origin, smtp_url: str | None = None, names: Names | None = None
) -> AsyncIterator[Switchboard]:
    """A switchboard from which these origins can be reached, and nobody else."""
    allowed = [each.address for each in receivers]
    async with a_client(*allowed, resolver=names) as client:
        messenger = Messenger(
            webhooks=Webhooks(client, guard=AddressGuard(AllowList.parse(",".join(allowed)))),
            mail=Smtp.at(smtp_url) if smtp_url is not None else None,
            vault=KeyRing([_KEY], named="the tests"),
            public_url=None,
        )
        yield Switchboard(db, clock, messenger)
