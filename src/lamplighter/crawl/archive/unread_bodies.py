"""Deletes bodies that were never parsed and forbid archiving.

A page forbids archiving in its headers or in its content, and the second is known only after parsing.
If a run ended before that (it was cancelled, or reached its deadline), the body is only searched for the word,
anywhere in it, because parsing is for processes that can be killed. A page that merely mentions the word loses an
unused copy, and is fetched again.
"""

import re

from lamplighter.crawl.fetching.page_versioning import forget_bodies
from lamplighter.ports import Archive
from lamplighter.store.engine import queries
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.pages import bodies
from lamplighter.store.pages.bodies import UnreadVersion
from lamplighter.store.schema.tables import page_versions

#: so that one call takes seconds, however many versions there are: the next one continues
_MOST_RANGES = 20
#: the directives that `extract/directives.py` reads as noarchive
_WORD = re.compile(rb"no(?:archive|cache)", re.IGNORECASE)


class UnreadBodies:
    """Checks all versions in turn."""

    def __init__(self, db: Database, archive: Archive) -> None:
        self._db = db
        self._archive = archive
        self._last_version = 0
        #: versions in which the word was not found
        self._harmless: set[int] = set()

    async def forget(self) -> int:
        """Checks the next versions; deletes those that forbid archiving, and earlier ones; returns how many."""
        forgotten = 0
        for _ in range(_MOST_RANGES):
            async with self._db.read() as db:
                found = await bodies.unread(db, after=self._last_version)
                last = await queries.greatest_id(db, page_versions)
            for unread in found:
                forgotten += await self._judge(unread)
            self._last_version += bodies.RANGE
            if self._last_version >= last:
                self._last_version = 0
                break
        return forgotten

    async def _judge(self, unread: UnreadVersion) -> bool:
        if unread.version_id in self._harmless:
            return False
        if not await self._asks_not_to_be_kept(unread):
            self._harmless.add(unread.version_id)
            return False
        # Rows first, as after parsing: a crash then leaves bytes that no row refers to, and a sweep removes them.
        gone = await self._db.write(lambda db: _forget(db, unread))
        await self._archive.discard(gone)
        return bool(gone)

    async def _asks_not_to_be_kept(self, unread: UnreadVersion) -> bool:
        if unread.robots_tag and _WORD.search(unread.robots_tag.encode()):
            return True
        body = await self._archive.get(unread.key)
        # In UTF-16 ASCII characters have zero bytes between them.
        return body is not None and _WORD.search(body.replace(b"\0", b"")) is not None


async def _forget(db: Connection, unread: UnreadVersion) -> list[str]:
    if not await bodies.hold_unread(db, unread):
        return []
    gone = await forget_bodies(db, {unread.page_id: unread.key})
    await bodies.take_away(db, unread.page_id)
    return gone
