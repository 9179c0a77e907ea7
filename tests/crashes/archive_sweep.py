"""An archive with old versions that are to be forgotten, and with little left in its segments afterwards."""

import os
import random
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from hashlib import sha256
from pathlib import Path

import sqlalchemy as sa

from lamplighter.adapters.archive.file_archive import FileArchive
from lamplighter.model.page import Phase
from lamplighter.store.engine.database import Connection
from lamplighter.store.pages import bodies, page_versions
from lamplighter.store.pages.bodies import NewBody
from lamplighter.store.pages.page_versions import NewVersion
from lamplighter.store.schema import tables
from tests.captures import capture
from tests.crashes.installation import Installation, Places
from tests.crashes.situations import Situation
from tests.crashes.snapshot import Snapshot
from tests.moments import NOON
from tests.store.given_rows import a_run, some_pages

_PAGES, _OLD = 3, 5


class ArchiveSweep(Situation):
    """Only the newest version of each page is kept."""

    name = "archive sweep"
    points = frozenset(
        {"archive.after_forgetting", "archive.after_copy", "archive.after_move", "archive.after_removal"}
    )

    @classmethod
    @asynccontextmanager
    async def open(cls, folder: Path, kind: str, places: Places, *, is_empty: bool) -> AsyncIterator["ArchiveSweep"]:
        url = await places.database(kind, folder, is_empty=is_empty)
        async with Installation(folder, url, lease=places.lease, archive_keep_versions=1) as installation:
            yield cls(installation, ())

    async def begin(self) -> None:
        chance = random.Random(_PAGES)
        pages = await self.installation.db.write(_some_pages)
        for page_id in pages:
            # An archive that was opened anew begins a segment.
            archive = FileArchive(self._folder)
            contents = [chance.randbytes(300) for _ in range(_OLD)] + [f"newest of {page_id}".encode()]
            for content in contents:
                (kept,) = await archive.put([capture(content, url=f"https://a.example/{page_id}")])
                new = NewBody(sha256(content).hexdigest(), kept.key, kept.segment, kept.size, len(content))
                await self.installation.db.write(lambda db, page_id=page_id, new=new: _hold(db, page_id, new))  # type: ignore[misc]
        for file in self._folder.iterdir():
            os.utime(file, (0, 0))

    @property
    def _folder(self) -> Path:
        return self.installation.folder / "archive"

    async def is_settled(self) -> bool:
        return not any(each.changed_at.year == 1970 for each in await FileArchive(self._folder).segments())

    async def snapshot(self) -> Snapshot:
        seen = await super().snapshot()
        archive, pages = FileArchive(self._folder), tables.pages.c
        rows = await self.installation.rows(sa.select(pages.url, pages.body_key).order_by(pages.url))
        return seen | {"contents": [(row.url, await archive.get(row.body_key)) for row in rows]}


async def _some_pages(db: Connection) -> Sequence[int]:
    """Pages of a source that nobody visits any more."""
    source_id, run_id = await a_run(db)
    paths = [f"/{number}" for number in range(_PAGES)]
    found = await some_pages(db, source_id, run_id, *paths, phase=Phase.COMPLETED)
    await db.execute(sa.update(tables.crawl_runs).values(finished_at=NOON, outcome="ok"))
    await db.execute(sa.update(tables.sources).values(enabled=False))
    return found


async def _hold(db: Connection, page_id: int, new: NewBody) -> None:
    held = (await bodies.hold(db, [new], hashes=[new.hash]))[new.hash]
    page = sa.update(tables.pages).where(tables.pages.c.id == page_id)
    await db.execute(page.values(body_hash=new.hash, body_key=held.key))
    await page_versions.add(db, [NewVersion(page_id, held.id, 200, NOON)])
