"""The cookies of sources whose recipes ask for them: sealed in the database, and nowhere else between two requests.

They are read for each request, and written when an answer changes them: such sources are few and are asked at their
hosts' pace, and so a restart, or another worker on a sister host, finds what is in force.
"""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import orjson

from lamplighter import telemetry
from lamplighter.crawl.run_notes import RunNotes
from lamplighter.errors import BadInput, NotPossible
from lamplighter.model.cookie import Cookie
from lamplighter.model.page import Page
from lamplighter.model.run_log import Action, Keeping
from lamplighter.ports import Clock, Vault
from lamplighter.rules import cookies as rules
from lamplighter.rules import urls
from lamplighter.store import cookies, crawl_runs
from lamplighter.store.cookies import Place, SealedCookie
from lamplighter.store.database import Connection, Database

log = telemetry.logger("cookies")
_SEALED = ("name", "value", "domain", "port", "is_host_only", "path", "is_secure")
#: what runs were told already is remembered for so many of them
_RUNS_REMEMBERED = 1_000
_BY_DEFAULT = Keeping()


class CookieJar:
    """Gives each source its own cookies, and takes what sites set."""

    def __init__(self, db: Database, *, vault: Vault, clock: Clock, keeping: Keeping = _BY_DEFAULT) -> None:
        self._db = db
        self._keeping = keeping
        self._vault = vault
        self._clock = clock
        #: run -> why its cookies were ignored, as far as its log says so
        self._told: dict[int, set[str]] = {}

    async def header(self, source_id: int, url: str) -> Mapping[str, str]:
        """What a request of a source carries: its Cookie header, or nothing."""
        target, now = urls.parse(url), self._clock.now()
        known = await self._known(Place(source_id, rules.site_of(target)), now)
        text = rules.header(known, target, now=now)
        return {} if text is None else {"Cookie": text}

    async def keep(self, page: Page, url: str, lines: Sequence[str]) -> bool:
        """Keeps what came with the answer to a page; whether that is anything new."""
        try:
            return bool(lines) and await self._keep(page, url, lines)
        except Exception as error:
            # The answer itself must not be lost with them. The error's own words might show what they were.
            log.error("cookies.not_kept", source=page.source_id, error=type(error).__name__)
            return False

    async def _keep(self, page: Page, url: str, lines: Sequence[str]) -> bool:
        target, now = urls.parse(url), self._clock.now()
        place = Place(page.source_id, rules.site_of(target))
        got = rules.received(lines, target, await self._known(place, now), now=now)
        news = {_key(cookie): self._sealed(cookie) for cookie in got.kept}
        gone = [_key(cookie) for cookie in got.withdrawn]
        untold = self._untold(page, got.ignored)
        if not (news or gone or untold):
            return False

        async def write(db: Connection) -> None:
            await cookies.remove(db, place, gone)
            await cookies.put(db, place, news)
            if untold and (runs := await crawl_runs.lock_open(db, [page.run_id])):
                notes = RunNotes(self._keeping, now=now)
                for why, count in untold:
                    notes.say(page, Action.COOKIES_IGNORED, _note(why, count), reason=why, count=count)
                await notes.write(db, runs, {page.run_id: {}})

        await self._db.write(write)
        return bool(news or gone)

    async def _known(self, place: Place, now: datetime) -> list[Cookie]:
        async with self._db.read() as db:
            sealed = await cookies.kept(db, place, now=now)
        return [cookie for each in sealed if (cookie := self._opened(each)) is not None]

    def _sealed(self, cookie: Cookie) -> SealedCookie:
        text = orjson.dumps({name: getattr(cookie, name) for name in _SEALED}).decode()
        return SealedCookie(self._vault.encrypt(text), cookie.expires_at)

    def _opened(self, sealed: SealedCookie) -> Cookie | None:
        """None when no key opens it: the site will set another."""
        try:
            said: dict[str, Any] = orjson.loads(self._vault.decrypt(sealed.value))
        except (NotPossible, BadInput, OSError) as error:
            log.warning("cookies.unreadable", reason=str(error))
            return None
        return Cookie(**said, expires_at=sealed.expires_at)

    def _untold(self, page: Page, ignored: Counter[str]) -> list[tuple[str, int]]:
        """Reasons that the run has not been told yet, and how many cookies each of them concerns."""
        told = self._told.setdefault(page.run_id, set())
        while len(self._told) > _RUNS_REMEMBERED:
            self._told.pop(next(iter(self._told)))
        fresh = [(why, count) for why, count in sorted(ignored.items()) if why not in told]
        told.update(ignored)
        return fresh


def _note(why: str, count: int) -> str:
    return f"{count} {'cookie' if count == 1 else 'cookies'} ignored: {why}; further ones are not mentioned"


def _key(cookie: Cookie) -> str:
    """What makes it this cookie and no other, at a fixed length."""
    return hashlib.sha256(orjson.dumps(cookie.identity)).hexdigest()
