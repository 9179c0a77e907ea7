"""Asks sites for commands that keep no records: through the one door, with its memory of manners."""

import asyncio
import os
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
from lamplighter.rules.urls import WebUrl
from lamplighter.settings import Settings
from lamplighter.store.database import Database

_PATIENCE_SECONDS = 60


def fetch_all(settings: Settings, urls: list[str]) -> list[Visit]:
    """Asks for every URL, politely, following redirects."""

    async def work() -> list[Visit]:
        async with _open(settings) as door:
            return [(await door.fetcher.ask_once(url)).visit for url in urls]

    return loop.run(work())


def robots_verdict(settings: Settings, site: WebUrl, *, token: str, url: str) -> RobotsVerdict:
    """What a site's robots.txt says of a URL; one that cannot be had allows nothing."""

    async def work() -> Compiled | Refused:
        async with _open(settings) as door, door.turns.visiting(site.host_key, patience=_PATIENCE_SECONDS) as held:
            refused = await door.barrier.refusal(f"{site.origin}/robots.txt")
            return refused or await door.robots.of(site.origin, held)

    compiled = loop.run(work())
    if isinstance(compiled, Refused):
        raise NotPossible(f"{site.host_key} was not asked: {compiled.detail}")
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
    """The door, over the installation's own store, or else over one that only remembers how hosts are to be treated.

    Nothing is crawled into it. But whom we asked a moment ago, and who asked us to stay away, must outlast the command.
    """
    path = Database(settings.resolved_database_url).path
    if path is not None and not await asyncio.to_thread(path.exists):
        settings = settings.model_copy(update={"data_dir": _manners(), "database_url": None})
    async with open_store(settings) as store, open_door(settings, store) as door:
        yield door


def _manners() -> Path:
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "lamplighter"
