"""robots.txt: the stored copy of a host, what it says of a URL, and fetching it again."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from lamplighter.errors import LeaseLost, NotFound, NotPossible
from lamplighter.fetch.gate import judge_robots
from lamplighter.fetch.robots_cache import Compiled, RobotsCache
from lamplighter.model.access import Stamp
from lamplighter.model.host import RobotsFile, RobotsState
from lamplighter.model.visit import Refused
from lamplighter.rules.robots import robots
from lamplighter.rules.urls import urls
from lamplighter.store.access import audit_log
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.hosts import host_lists, robots_files

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
            f"the robots.txt of {host_key} was never fetched; POST /admin/robots/{host_key}/refresh fetches it",
            code="robots_not_found",
        )
    return found


async def refresh(
    db: Database, cache: RobotsCache, host_key: str, *, stamp: Stamp, scheme: str | None = None
) -> KnownRobots:
    """Fetches the robots.txt of a host now, in its turn; NotPossible if no request may be sent."""
    origin = f"{scheme or await _scheme(db, host_key)}://{host_key}"
    try:
        answer = await cache.fetch_now(origin)
    except LeaseLost:
        raise NotPossible(f"another worker is fetching from {host_key}; try again in a moment") from None
    if isinstance(answer, Refused):
        raise NotPossible(answer.detail, code=str(answer.reason))
    after = {"origin": origin, "state": answer.file.state, "status": answer.file.status}
    await db.write(lambda c: audit_log.write(c, stamp, "robots.refresh", host_key, after=after))
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


#: lines that are shown; the one that decided is among them
MOST_LINES = 400
#: characters of a line that are shown
LONGEST_LINE = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotsLines:
    """The text of a robots.txt for people."""

    #: number, from 1, and what stands there
    lines: tuple[tuple[int, str], ...]
    #: how many lines the whole has
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotsView:
    """What a robots.txt says, as last seen."""

    file: RobotsFile
    text: RobotsLines
    #: None where no URL was asked about
    allowed: bool | None
    #: in words: the rule, or why there is none
    why: str
    #: the line that decided; None when none did
    line: int | None
    #: whose rules those are: our own, or those for everybody
    group: str | None

    def is_out_of_date(self, now: datetime) -> bool:
        """Whether it would be asked for again before anything else is."""
        return self.file.expires_at <= now


async def of_url(db: Connection, url: str, *, token: str) -> RobotsView | None:
    """What is said of a URL; None when the robots.txt of its origin was never asked for."""
    target = urls.parse(url)
    file = await robots_files.get(db, target.origin)
    if file is None:
        return None
    compiled = Compiled(file=file, rules=robots.compile_robots(file.body))
    answer = judge_robots(compiled, token=token, url=target.href)
    verdict = compiled.verdict(token, target.href) if file.state is not RobotsState.UNREACHABLE else None
    line = verdict.line if verdict is not None else None
    return RobotsView(
        file=file,
        text=_text(file.body, around=line),
        allowed=not isinstance(answer, Refused),
        why=answer.detail if isinstance(answer, Refused) else answer.rule,
        line=line,
        group=verdict.group if verdict is not None else None,
    )


async def of_host(db: Connection, key: str, *, token: str) -> RobotsView | None:
    """What is said on a host to us; of its two origins, that which was asked last."""
    found = await known(db, key, token=token)
    if found is None:
        return None
    count = len(found.disallow)
    rules = f"{count} path{'s' * (count != 1)} disallowed" if count else "no path disallowed"
    return RobotsView(file=found.file, text=_text(found.file.body), allowed=None, why=rules, line=None, group=None)


def _text(body: bytes, *, around: int | None = None) -> RobotsLines:
    """The lines as the parser counts them, those around one of them where there are too many."""
    lines = body.splitlines()
    first = max(0, min((around or 1) - MOST_LINES // 2, len(lines) - MOST_LINES))
    shown = enumerate(lines[first : first + MOST_LINES], start=first + 1)
    return RobotsLines(
        lines=tuple((number, line.decode("utf-8", "replace")[:LONGEST_LINE]) for number, line in shown),
        total=len(lines),
    )
