"""At start the log names sources that follow links further than most need."""

from structlog.testing import capture_logs

from lamplighter.app.service import _warn_of_deep_sources
from lamplighter.model.access import Stamp
from lamplighter.operations.sources import sources
from lamplighter.operations.sources.source_input import NewSource
from lamplighter.store.engine.database import Database
from tests.moments import NOON


async def _told(db: Database, *depths: int) -> list[dict[str, object]]:
    for depth in depths:
        new = NewSource(url=f"https://d{depth}.example/", max_depth=depth)
        await db.write(lambda connection, new=new: sources.add(connection, new, stamp=Stamp("anna", NOON)))  # type: ignore[misc]
    with capture_logs() as said:
        await _warn_of_deep_sources(db)
    return [dict(line) for line in said]


async def test_those_deeper_than_five_or_without_limit_are_named(db: Database) -> None:
    (line,) = await _told(db, 5, 6, -1)

    assert (line["event"], line["log_level"], line["sources"]) == ("sources.deep", "warning", 2)
    assert line["urls"] == ["https://d6.example/", "https://d-1.example/"]


async def test_without_any_nothing_is_said(db: Database) -> None:
    assert await _told(db, 0, 3, 5) == []
