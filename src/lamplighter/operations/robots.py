"""robots.txt: what we know of a host's, and asking for it anew."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from lamplighter.errors import LeaseLost, NotFound, NotPossible
from lamplighter.fetch.robots_cache import Compiled, RobotsCache
from lamplighter.model.host import RobotsFile, RobotsState
from lamplighter.model.visit import Refused
from lamplighter.rules import robots, urls
from lamplighter.store import audit_log, host_lists, robots_files
from lamplighter.store.database import Connection, Database

SCHEMES = ("https", "http")


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownRobots:
    """A host's robots.txt, and what it says to us."""

    host: str
    file: RobotsFile
    #: paths that it forbids us, as written
    disallow: tuple[str, ...]
    #: None when it asks for none
    crawl_delay: timedelta | None


async def known(db: Connection, host_key: str, *, token: str, scheme: str | None = None) -> KnownRobots | None:
    """The robots.txt of a host as last seen; where it has one for http and one for https, the newer, unless told."""
    origins = [f"{each}://{host_key}" for each in ((scheme,) if scheme else SCHEMES)]
    files = [file for origin in origins if (file := await robots_files.get(db, origin)) is not None]
    newest = max(files, key=lambda file: file.fetched_at, default=None)
    if newest is None:
        return None
    return _known(host_key, Compiled(file=newest, rules=robots.compile_robots(newest.body)), token=token)


async def get(db: Connection, host_key: str, *, token: str, scheme: str | None = None) -> KnownRobots:
    """The same; NotFound, with how to get it, when it was never asked for."""
    found = await known(db, host_key, token=token, scheme=scheme)
    if found is None:
        raise NotFound(
            f"the robots.txt of {host_key} was never asked for; POST /admin/robots/{host_key}/refresh asks for it",
            code="robots_not_found",
        )
    return found


async def refresh(
    db: Database, cache: RobotsCache, host_key: str, *, actor: str, now: datetime, scheme: str | None = None
) -> KnownRobots:
    """Asks the site for its robots.txt now, in its turn; NotPossible when it may not be asked."""
    origin = f"{scheme or await _scheme(db, host_key)}://{host_key}"
    try:
        answer = await cache.ask_now(origin)
    except LeaseLost:
        raise NotPossible(f"{host_key} is being asked by another worker; try again in a moment") from None
    if isinstance(answer, Refused):
        raise NotPossible(answer.detail, code=str(answer.reason))
    after = {"origin": origin, "state": answer.file.state, "status": answer.file.status}
    await db.write(
        lambda c: audit_log.write(c, actor=actor, action="robots.refresh", subject=host_key, now=now, after=after)
    )
    return _known(host_key, answer, token=cache.token)


async def _scheme(db: Database, host_key: str) -> str:
    """How the host is spoken to: as last time, as its sources say, else safely."""
    async with db.read() as connection:
        before = await known(connection, host_key, token="")
        if before is not None:
            return before.file.origin.partition("://")[0]
        row = await host_lists.by_key(connection, host_key)
        start = await host_lists.start_url(connection, row.id) if row is not None else None
    return urls.parse(start).scheme if start is not None else SCHEMES[0]


def _known(host_key: str, compiled: Compiled, *, token: str) -> KnownRobots:
    has_rules = compiled.file.state is not RobotsState.UNAVAILABLE
    verdict = compiled.rules.verdict(token, f"{compiled.file.origin}/")
    return KnownRobots(
        host=host_key,
        file=compiled.file,
        disallow=compiled.rules.disallowed(token) if has_rules else (),
        crawl_delay=verdict.crawl_delay if has_rules else None,
    )
