"""Which captures of a dead process become visits, and which do not?"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from lamplighter.adapters.archive.file_archive import FileArchive
from lamplighter.crawl.fetching.archive_tail import ArchiveTail
from lamplighter.model.page import Page
from lamplighter.model.reading import PageRole
from lamplighter.ports import ArchiveSegment
from lamplighter.store.engine.database import Database
from lamplighter.store.pages import bodies
from lamplighter.store.pages.bodies import NewBody
from tests.captures import capture
from tests.clocks import At
from tests.crawl.runs.due_jobs import on_sqlite
from tests.moments import NOON
from tests.store.given_rows import a_run, write

SECOND = timedelta(seconds=1)
URL = "https://a.example/job"
#: the run began at noon, and whoever fetched for it died within half a minute
LEASE_ENDED = NOON + 30 * SECOND


async def _page(db: Database, **other: Any) -> Page:
    source_id, run_id = await write(db, a_run)
    given = {"id": 1, "host_id": 1, "depth": 1, "role": PageRole.LINK, "url": URL, **other}
    return Page(source_id=source_id, run_id=run_id, **given)


async def _left_behind(folder: Path, *moments: datetime) -> list[str]:
    """The keys of captures that a process archived at these moments."""
    dead = FileArchive(folder, clock=At(LEASE_ENDED))
    kept = await dead.put([capture(b"body at " + str(at).encode(), url=URL, at=at) for at in moments])
    return [each.key for each in kept]


def _tail(db: Database, folder: Path) -> ArchiveTail:
    return ArchiveTail(db, FileArchive(folder), clock=At(LEASE_ENDED + 20 * SECOND))


async def _taken(tail: ArchiveTail, page: Page) -> datetime | None:
    found = await tail.take(page, abandoned_until=LEASE_ENDED)
    return found.capture.fetched_at if found is not None else None


@on_sqlite
async def test_of_several_captures_the_latest_is_taken_and_only_once(db: Database, tmp_path: Path) -> None:
    page = await _page(db)
    await _left_behind(tmp_path, NOON + SECOND, NOON + 2 * SECOND)
    tail = _tail(db, tmp_path)

    assert [await _taken(tail, page) for _ in range(2)] == [NOON + 2 * SECOND, None]


@on_sqlite
@pytest.mark.parametrize(
    ("fetched_at", "other"),
    [
        pytest.param(NOON - SECOND, {}, id="of an earlier run"),
        pytest.param(LEASE_ENDED + SECOND, {}, id="by somebody who lives"),
        pytest.param(NOON + SECOND, {"retry_count": 1}, id="of a page that is tried again"),
        pytest.param(NOON + SECOND, {"url": URL + "s"}, id="of another page"),
    ],
)
async def test_another_visit_is_not_taken_for_this_one(
    db: Database, tmp_path: Path, fetched_at: datetime, other: dict[str, Any]
) -> None:
    page = await _page(db, **other)
    await _left_behind(tmp_path, fetched_at)

    assert await _taken(_tail(db, tmp_path), page) is None


@on_sqlite
async def test_a_body_that_is_stored_is_not_taken_again(db: Database, tmp_path: Path) -> None:
    page = await _page(db)
    (key,) = await _left_behind(tmp_path, NOON + SECOND)
    body = NewBody("hash", key, key.partition(":")[0], 1, 1)
    await write(db, bodies.hold, [body], hashes=["hash"])

    assert await _taken(_tail(db, tmp_path), page) is None


class _Away(FileArchive):
    async def segments(self) -> Sequence[ArchiveSegment]:  # type: ignore[override]
        raise ConnectionError("no answer")


@on_sqlite
async def test_the_site_is_asked_while_the_archive_is_away(db: Database, tmp_path: Path) -> None:
    page = await _page(db)
    await _left_behind(tmp_path, NOON + SECOND)

    tail = ArchiveTail(db, _Away(tmp_path), clock=At(LEASE_ENDED))

    assert await _taken(tail, page) is None
