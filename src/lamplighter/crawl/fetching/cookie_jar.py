"""The cookies of sources whose recipes want them: encrypted in the database, and nowhere else between requests.

They are read for each request, and written when a response changes them: such sources are few and are fetched at
their hosts' pace. So a restart, or another worker on a sister host, finds the current cookies.
"""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import orjson

from lamplighter import telemetry
from lamplighter.crawl.runs.run_notes import RunNotes
from lamplighter.errors import BadInput, NotPossible
from lamplighter.model.page import Page
from lamplighter.model.run_log import Keeping, LogAction
from lamplighter.model.visit import Cookie
from lamplighter.ports import Clock, Vault
from lamplighter.rules.hosts import cookies as rules
from lamplighter.rules.urls import urls
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.runs import crawl_runs
from lamplighter.store.sources import cookies
from lamplighter.store.sources.cookies import CookieScope, SealedCookie

log = telemetry.logger("cookies")
_SEALED = ("name", "value", "domain", "port", "is_host_only", "path", "is_secure")
#: for so many runs the reasons already logged are remembered
_RUNS_REMEMBERED = 1_000
_BY_DEFAULT = Keeping()


class CookieJar:
    """Reads and stores the cookies of each source."""

    def __init__(self, db: Database, *, vault: Vault, clock: Clock, keeping: Keeping = _BY_DEFAULT) -> None:
        self._db = db
        self._keeping = keeping
        self._vault = vault
        self._clock = clock
        #: run -> reasons for ignored cookies that its log has already
        self._noted: dict[int, set[str]] = {}

    async def header(self, source_id: int, url: str) -> Mapping[str, str]:
        """The Cookie header for a source's request, or no header."""
        target, now = urls.parse(url), self._clock.now()
        known = await self._known(CookieScope(source_id, rules.site_of(target)), now)
        text = rules.header(known, target, now=now)
        return {} if text is None else {"Cookie": text}

    async def keep(self, page: Page, url: str, lines: Sequence[str]) -> bool:
        """Stores the cookies of a response; returns whether any changed."""
        try:
            return bool(lines) and await self._keep(page, url, lines)
        except Exception as error:
            # The response must not be lost with its cookies. The error's message might reveal them.
            log.error("cookies.not_kept", url=page.url, error=type(error).__name__)
            return False

    async def _keep(self, page: Page, url: str, lines: Sequence[str]) -> bool:
        target, now = urls.parse(url), self._clock.now()
        place = CookieScope(page.source_id, rules.site_of(target))
        got = rules.received(lines, target, await self._known(place, now), now=now)
        news = {_key(cookie): self._sealed(cookie) for cookie in got.kept}
        gone = [_key(cookie) for cookie in got.withdrawn]
        unnoted = self._unnoted(page, got.ignored)
        if not (news or gone or unnoted):
            return False

        async def write(db: Connection) -> None:
            await cookies.remove(db, place, gone)
            await cookies.put(db, place, news)
            if unnoted and (runs := await crawl_runs.lock_open(db, [page.run_id])):
                notes = RunNotes(self._keeping, now=now)
                for why, count in unnoted:
                    notes.say(page, LogAction.COOKIES_IGNORED, _note(why, count), reason=why, count=count)
                await notes.write(db, runs, {page.run_id: {}})

        await self._db.write(write)
        return bool(news or gone)

    async def _known(self, place: CookieScope, now: datetime) -> list[Cookie]:
        async with self._db.read() as db:
            sealed = await cookies.kept(db, place, now=now)
        return [cookie for each in sealed if (cookie := self._opened(each)) is not None]

    def _sealed(self, cookie: Cookie) -> SealedCookie:
        text = orjson.dumps({name: getattr(cookie, name) for name in _SEALED}).decode()
        return SealedCookie(self._vault.encrypt(text), cookie.expires_at)

    def _opened(self, sealed: SealedCookie) -> Cookie | None:
        """None if no key decrypts it: the site sets a new one."""
        try:
            said: dict[str, Any] = orjson.loads(self._vault.decrypt(sealed.value))
        except (NotPossible, BadInput, OSError) as error:
            log.warning("cookies.unreadable", reason=str(error))
            return None
        return Cookie(**said, expires_at=sealed.expires_at)

    def _unnoted(self, page: Page, ignored: Counter[str]) -> list[tuple[str, int]]:
        """Reasons that the run's log does not have yet, with the number of cookies."""
        noted = self._noted.setdefault(page.run_id, set())
        while len(self._noted) > _RUNS_REMEMBERED:
            self._noted.pop(next(iter(self._noted)))
        fresh = [(why, count) for why, count in sorted(ignored.items()) if why not in noted]
        noted.update(ignored)
        return fresh


def _note(why: str, count: int) -> str:
    return f"{count} {'cookie' if count == 1 else 'cookies'} ignored: {why}; further ones are not mentioned"


def _key(cookie: Cookie) -> str:
    """A hash of the cookie's identity, of fixed length."""
    return hashlib.sha256(orjson.dumps(cookie.identity)).hexdigest()
