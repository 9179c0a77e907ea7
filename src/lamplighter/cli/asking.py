"""Asks sites for commands that keep nothing: through the one door, over a store that is thrown away afterwards."""

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from lamplighter.app import open_door, open_store
from lamplighter.cli import loop
from lamplighter.errors import NotPossible
from lamplighter.fetch.door import Door
from lamplighter.fetch.gate import judge_robots
from lamplighter.fetch.robots_cache import Compiled
from lamplighter.model.host import RobotsState, RobotsVerdict
from lamplighter.model.visit import Failed, Fetched, NotModified, Redirected, Refused, Visit
from lamplighter.rules.addresses import AllowList
from lamplighter.rules.urls import WebUrl
from lamplighter.settings import Settings
from lamplighter.store import migrate, takedowns
from lamplighter.store.database import Database

_PATIENCE_SECONDS = 60
_NOBODY = "site owners could not reach you: set LAMPLIGHTER_CONTACT_URL to a page about your crawler"


def fetch_all(settings: Settings, urls: list[str]) -> list[Visit]:
    """Asks for every URL, politely, following redirects."""

    async def work() -> list[Visit]:
        async with _open(settings) as door:
            return [(await door.fetcher.ask_once(url)).visit for url in urls]

    return loop.run(work())


def robots_verdict(settings: Settings, site: WebUrl, *, token: str, url: str) -> RobotsVerdict:
    """What a site's robots.txt says of a URL; one that cannot be had allows nothing."""
    opened = AllowList.parse(settings.allow_hosts).permits(site.hostname, site.hostname, site.port)
    if not settings.has_contact and not opened:
        raise NotPossible(f"{site.host_key} was not asked: {_NOBODY}")

    async def work() -> Compiled:
        async with _open(settings) as door, door.turns.visiting(site.host_key, patience=_PATIENCE_SECONDS) as held:
            return await door.robots.of(site.origin, held)

    compiled = loop.run(work())
    if compiled.file.state is RobotsState.UNREACHABLE:
        refused = judge_robots(compiled, token=token, url=url)
        assert isinstance(refused, Refused)
        return RobotsVerdict(allowed=False, rule=refused.detail)
    return compiled.verdict(token, url)


def trouble(visit: Visit) -> str | None:
    """Why there is no body, in words; None when there is one."""
    match visit:
        case Fetched():
            return None
        case Refused(reason=reason, detail=detail):
            return f"{reason}: {detail}"
        case Failed(fault=fault, detail=detail):
            return f"{fault}: {detail}"
        case NotModified() | Redirected():
            return "the server answered without a page"


@asynccontextmanager
async def _open(settings: Settings) -> AsyncIterator[Door]:
    """The door, over an empty store that knows the installation's takedowns."""
    entries = await _takedowns(settings)
    with tempfile.TemporaryDirectory(prefix="lamplighter-") as folder:
        thrown_away = settings.model_copy(update={"data_dir": Path(folder), "database_url": None})
        async with open_store(thrown_away) as store:
            now = store.clock.now()
            for entry in entries:
                await store.db.write(lambda db, entry=entry: takedowns.add(db, entry, reason=None, now=now))  # type: ignore[misc]
            async with open_door(thrown_away, store) as door:
                yield door


async def _takedowns(settings: Settings) -> list[str]:
    """Who asked never to be asked again is not asked by a command either."""
    db = Database(settings.resolved_database_url)
    if db.path is not None and not await asyncio.to_thread(db.path.exists):
        return []
    async with db:
        if await migrate.current(db) != migrate.head():
            return []
        async with db.read() as connection:
            return list(await takedowns.all_of_them(connection))
