"""The life of a page."""

from typing import Any

import pytest

from lamplighter.errors import NotFound
from lamplighter.model.access import Stamp
from lamplighter.model.page import Phase
from lamplighter.model.record import Record, RecordKind
from lamplighter.model.run_log import LogAction
from lamplighter.operations.pages import page_history, task_actions
from lamplighter.operations.pages.task_actions import TaskRestart
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.proxies import proxies
from lamplighter.store.records import records, sightings
from lamplighter.store.runs import run_log
from tests.changing import add_proxy
from tests.moments import NOON
from tests.store.given_rows import HOUR, a_run, some_pages, write


async def test_what_happened_to_it_stands_with_the_latest_first(db: Database) -> None:
    source_id, run_id = await write(db, a_run)
    (page_id,) = await write(db, some_pages, source_id, run_id, "/jobs", phase=Phase.FAILED)
    line = run_log.line(run_id, LogAction.PAGE_FAILED, "503", at=NOON + HOUR, url="https://a.example/jobs")
    other = line | {"url": "https://a.example/other"}
    await write(db, run_log.write, [line, other])
    await write(db, task_actions.restart, page_id, TaskRestart(), stamp=Stamp("anna", NOON + 2 * HOUR))

    life = await write(db, page_history.of_page, page_id, now=NOON + 3 * HOUR)

    assert [(each.what, each.detail, each.is_bad) for each in life.moments] == [
        ("restart", "by anna", False),
        ("fetch", "503", True),
        ("discovered", "", False),
    ]


@pytest.mark.parametrize(
    ("trouble", "what"),
    [
        pytest.param({"status": 304}, "response 304, unchanged", id="as before"),
        pytest.param({"status": None, "reason": "timeout"}, "answered, unchanged", id="then no answer"),
        pytest.param({"status": 500, "reason": "server_error"}, "answered, unchanged", id="then an error"),
    ],
)
async def test_the_status_of_a_later_trouble_is_not_told_of_the_answer_before_it(
    db: Database, trouble: dict[str, Any], what: str
) -> None:
    source_id, run_id = await write(db, a_run)
    (page_id,) = await write(db, some_pages, source_id, run_id, "/jobs", fetched_at=NOON + HOUR, **trouble)

    life = await write(db, page_history.of_page, page_id, now=NOON + HOUR)

    assert life.moments[0].what == what


async def test_the_records_on_it_are_told_its_own_first(db: Database) -> None:
    source_id, run_id = await write(db, a_run)
    (page_id,) = await write(db, some_pages, source_id, run_id, "/jobs")

    async def put(connection: Connection) -> None:
        shown = {}
        for number, is_own in enumerate((True, False)):
            record = Record(
                kind=RecordKind.JOB,
                url=f"https://a.example/{number}",
                canonical_hash=str(number),
                content_hash=str(number),
                title=f"Pilot {number}",
            )
            await records.put(
                connection, [records.NewRecord(source_id, page_id, str(number), is_own, record)], now=NOON
            )
            shown[number + 1] = is_own
        await sightings.become(connection, {page_id: shown}, now=NOON)

    await db.write(put)

    life = await write(db, page_history.of_page, page_id, now=NOON)

    assert [(each.title, each.is_own) for each in life.records] == [("Pilot 0", True), ("Pilot 1", False)]
    assert life.record_count == 2


async def test_a_linked_page_that_was_read_rests_and_one_in_line_does_not(db: Database) -> None:
    source_id, run_id = await write(db, a_run)
    had = {"fetched_at": NOON, "rest_until": NOON + 24 * HOUR}
    (read,) = await write(db, some_pages, source_id, run_id, "/1", phase=Phase.COMPLETED, **had)
    (waiting,) = await write(db, some_pages, source_id, run_id, "/2", **had)

    lives = [await write(db, page_history.of_page, page_id, now=NOON) for page_id in (read, waiting)]

    assert [life.revisit_from for life in lives] == [NOON + 24 * HOUR, None]


async def test_a_page_that_there_is_not_has_none(db: Database) -> None:
    with pytest.raises(NotFound):
        await write(db, page_history.of_page, 77, now=NOON)


async def test_the_proxy_of_the_last_request_is_told_as_long_as_there_is_one(db: Database) -> None:
    source_id, run_id = await write(db, a_run)
    proxy_id = await write(db, add_proxy, now=NOON, protocol="http", address="exit.example", port=80)
    (page_id,) = await write(db, some_pages, source_id, run_id, "/jobs", proxy_id=proxy_id)

    through = await write(db, page_history.of_page, page_id, now=NOON)
    await write(db, proxies.remove, proxy_id)
    gone = await write(db, page_history.of_page, page_id, now=NOON)

    assert (through.exit, gone.exit, gone.page.proxy_id) == ("exit.example:80", None, proxy_id)
