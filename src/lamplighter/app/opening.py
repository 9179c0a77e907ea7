"""Opens what a service or a command needs beside the database: the web client stack, messenger, simulator."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta

from lamplighter.adapters.browser.chromium import Chromium
from lamplighter.adapters.clocks import DatabaseClock
from lamplighter.app.database import Store, open_store
from lamplighter.app.default_proxies import pool_of
from lamplighter.app.defaults import default_policy
from lamplighter.app.engines import archive_of, mail_of, vault_of
from lamplighter.crawl.alerts.messenger import Messenger
from lamplighter.crawl.fleet.secret_values import SecretBook
from lamplighter.crawl.reading.reader_pool import ReaderPool
from lamplighter.fetch import door
from lamplighter.fetch.door import Door, DoorLimits, Identity
from lamplighter.fetch.transfer import Wire
from lamplighter.operations.explain.lessons import Lessons
from lamplighter.operations.explain.trials import Simulator
from lamplighter.ports import Vault
from lamplighter.rules.urls.addresses import AllowList
from lamplighter.settings import Settings
from lamplighter.store.engine.database import Database


@asynccontextmanager
async def open_door(
    settings: Settings, store: Store, *, also_allow: Sequence[str] = (), wire: Wire | None = None
) -> AsyncIterator[Door]:
    """Opens the web client stack; the address guard also allows `also_allow`, as in LAMPLIGHTER_ALLOW_HOSTS.

    Requests are sent over `wire`; by default over the network.
    """
    limits = DoorLimits(
        policy=default_policy(settings),
        slots=settings.fetch_slots,
        lease=settings.lease,
        robots_ttl=timedelta(hours=settings.robots_ttl_hours),
        robots_denied_refuses=settings.robots_denied == "refuse",
        max_redirects=settings.most_redirects,
        connect_seconds=settings.connect_timeout_seconds,
        read_seconds=settings.read_timeout_seconds,
        total_seconds=settings.total_timeout_seconds,
    )
    allowed = AllowList.parse(",".join([settings.allow_hosts, *also_allow]))
    renderer = Chromium(program=settings.chromium, seconds=settings.render_seconds)
    async with door.opened(
        store.db,
        clock=store.clock,
        identity=identity_of(settings),
        limits=limits,
        allowed=allowed,
        renderer=renderer,
        vault=vault_of(settings),
        pool=pool_of(settings),
        wire=wire,
    ) as opened:
        yield opened


def identity_of(settings: Settings) -> Identity:
    """How the crawler identifies itself."""
    return Identity(
        user_agent=settings.resolved_user_agent, contact_email=settings.contact_email, has_contact=settings.has_contact
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Trials:
    """What a trial of a source needs."""

    db: Database
    door: Door
    clock: DatabaseClock
    simulator: Simulator
    #: teaches recipes from examples
    lessons: Lessons


@asynccontextmanager
async def open_trials(settings: Settings) -> AsyncIterator[Trials]:
    """Opens web client stack and reader, without a service."""
    async with AsyncExitStack() as stack:
        store = await stack.enter_async_context(open_store(settings))
        pool = await stack.enter_async_context(ReaderPool(workers=1, timeout=settings.parse_timeout_seconds))
        door = await stack.enter_async_context(open_door(settings, store))
        archive = archive_of(settings, store.clock)
        secrets = SecretBook(store.db, vault=vault_of(settings), settings=settings)
        await secrets.refresh()
        simulator = Simulator(store.db, door=door, pool=pool, archive=archive, secrets=secrets)
        lessons = Lessons(store.db, pool=pool, archive=archive, agent=door.robots.token.lower())
        yield Trials(db=store.db, door=door, clock=store.clock, simulator=simulator, lessons=lessons)


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
