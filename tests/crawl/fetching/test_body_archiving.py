"""What the fetch sink makes of an archive that is away for a while."""

import hashlib
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from lamplighter.crawl.fetching.body_archiving import BodyArchiving
from lamplighter.crawl.fetching.page_visits import PageVisit
from lamplighter.model.visit import NO_VALIDATORS, Fetched
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.pages import bodies
from lamplighter.store.pages.bodies import NewBody
from tests.crawl.runs.due_jobs import on_sqlite
from tests.moments import NOON

BODY = b"<h1>Lamps</h1>"
VISIT = Fetched(
    url="http://a.example/",
    status=200,
    body=BODY,
    content_type=None,
    validators=NO_VALIDATORS,
    at=NOON,
    took=timedelta(0),
)


class _Away:
    """An archive that takes nothing but nothing."""

    async def put(self, captures: Any) -> list[Any]:
        if captures:
            raise ConnectionError("no answer")
        return []


@on_sqlite
async def test_it_is_back_also_when_another_has_put_there_what_was_missing(db: Database) -> None:
    archiving = BodyArchiving(db, _Away())  # type: ignore[arg-type]
    page: Any = SimpleNamespace(id=1, body=None)
    host: Any = None
    visits = [PageVisit(page, VISIT, host, None)]
    with pytest.raises(ConnectionError):
        await archiving.keep(visits)
    was_away = archiving.trouble

    async def store(connection: Connection) -> None:
        known = hashlib.sha256(BODY).hexdigest()
        await bodies.hold(connection, [NewBody(known, "s:0:1:p", "s", 1, len(BODY))], hashes=[known])

    await db.write(store)
    await archiving.keep(visits)

    assert (was_away, archiving.trouble) == ("no answer", None)
