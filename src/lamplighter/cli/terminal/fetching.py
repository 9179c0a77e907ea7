"""Fetches pages for commands that store no records, with the same politeness rules as a crawl."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from lamplighter.app import open_door, open_store
from lamplighter.cli.terminal import loop
from lamplighter.errors import NotPossible
from lamplighter.fetch.door import Door
from lamplighter.fetch.gate import judge_robots
from lamplighter.fetch.robots_cache import Compiled
from lamplighter.model.host import RobotsState, RobotsVerdict
from lamplighter.model.visit import Failed, Fetched, NotModified, Redirected, Refused, Visit
from lamplighter.rules.urls.urls import WebUrl
from lamplighter.settings import Settings
from lamplighter.store.engine.database import Database

_PATIENCE_SECONDS = 60


def fetch_all(settings: Settings, urls: list[str]) -> list[Visit]:
    """Fetches every URL politely and follows redirects."""

    async def work() -> list[Visit]:
        async with _open(settings) as door:
            return [(await door.fetcher.fetch_once(url)).visit for url in urls]

    return loop.run(work())


def robots_verdict(settings: Settings, site: WebUrl, *, token: str, url: str) -> RobotsVerdict:
    """The robots.txt verdict on a URL; an unreachable robots.txt allows nothing."""

    async def work() -> Compiled | Refused:
        async with _open(settings) as door, door.turns.visiting(site.host_key, patience=_PATIENCE_SECONDS) as held:
            refused = await door.barrier.refusal(f"{site.origin}/robots.txt")
            return refused or await door.robots.of(site.origin, held)

    compiled = loop.run(work())
    if isinstance(compiled, Refused):
        raise NotPossible(f"{site.host_key} was not fetched: {compiled.detail}")
    if compiled.file.state is RobotsState.UNREACHABLE:
        refused = judge_robots(compiled, token=token, url=url)
        assert isinstance(refused, Refused)
        return RobotsVerdict(allowed=False, rule=refused.detail)
    return compiled.verdict(token, url)


def trouble(visit: Visit) -> str | None:
    """Why a visit has no body, None if it has one."""
    match visit:
        case Fetched():
            return None
        case Refused(reason=reason, detail=detail):
            return f"{reason}: {detail}"
        case Failed(fault=fault, detail=detail):
            return f"{fault}: {detail}"
        case NotModified() | Redirected():
            return "the server sent no page"


@asynccontextmanager
async def _open(settings: Settings) -> AsyncIterator[Door]:
    """Opens the web client stack over the installation's database, or over a small one that only stores host state.

    Pages are not stored in it. But the time of the last request and the back-off of a host must outlast the command.
    """
    path = Database(settings.resolved_database_url).path
    if path is not None and not await asyncio.to_thread(path.exists):
        settings = settings.model_copy(update={"data_dir": _state_folder(), "database_url": None})
    async with open_store(settings) as store, open_door(settings, store) as door:
        yield door


def _state_folder() -> Path:
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "lamplighter"
