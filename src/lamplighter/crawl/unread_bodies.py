"""Which bodies that nobody has read may not be kept?

A page says in its answer or in itself that it does not want to be kept, and the second is known only after reading.
Where a run ended before that (it was cancelled, or its time was over), the page is looked through for the word alone,
wherever it stands: reading is for processes that can be killed. Who merely mentions it loses a copy that was of no use
yet, and is asked for again.
"""

import re

from lamplighter.crawl.versioning import forget_bodies
from lamplighter.ports import Archive
from lamplighter.store import page_versions, unread_bodies
from lamplighter.store.database import Connection, Database
from lamplighter.store.unread_bodies import Unread

#: so that one look takes seconds, however many versions there are: the next one goes on
_MOST_RANGES = 20
#: what `extract/directives.py` takes for it
_WORD = re.compile(rb"no(?:archive|cache)", re.IGNORECASE)


class UnreadBodies:
    """Looks at all versions in turn."""

    def __init__(self, db: Database, archive: Archive) -> None:
        self._db = db
        self._archive = archive
        self._last_version = 0
        #: versions in which the word was not found
        self._harmless: set[int] = set()

    async def forget(self) -> int:
        """Forgets those among some more versions that ask for it, with the earlier ones of their pages; how many."""
        forgotten = 0
        for _ in range(_MOST_RANGES):
            async with self._db.read() as db:
                found = await unread_bodies.among(db, after=self._last_version)
                last = await page_versions.greatest_id(db)
            for unread in found:
                forgotten += await self._judge(unread)
            self._last_version += unread_bodies.RANGE
            if self._last_version >= last:
                self._last_version = 0
                break
        return forgotten

    async def _judge(self, unread: Unread) -> bool:
        if unread.version_id in self._harmless:
            return False
        if not await self._asks_not_to_be_kept(unread):
            self._harmless.add(unread.version_id)
            return False
        # As after reading: the rows go first. What a crash leaves behind then, nothing refers to, and it is swept up.
        gone = await self._db.write(lambda db: _forget(db, unread))
        await self._archive.discard(gone)
        return bool(gone)

    async def _asks_not_to_be_kept(self, unread: Unread) -> bool:
        if unread.robots_tag and _WORD.search(unread.robots_tag.encode()):
            return True
        body = await self._archive.get(unread.key)
        # Wide characters are narrow ones with zeros between them.
        return body is not None and _WORD.search(body.replace(b"\0", b"")) is not None


async def _forget(db: Connection, unread: Unread) -> list[str]:
    if not await unread_bodies.hold(db, unread):
        return []
    gone = await forget_bodies(db, {unread.page_id: unread.key})
    await unread_bodies.take_away(db, unread.page_id)
    return gone
