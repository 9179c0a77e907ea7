"""A source remembers where its list is: the next run reads it there, says when it moved, and forgets on a change."""

from pathlib import Path
from typing import Any

from lamplighter.app import Service
from lamplighter.model.record import RecordKind
from lamplighter.store.schema import tables
from lamplighter.store.sources import list_positions
from tests.changing import set_source
from tests.origin import Origin
from tests.service.in_process import all_records, all_rows, crawl, crawl_again, going, quick_settings, run_log_of

NAMES = ("Nurse", "Driver", "Water Engineer", "Accountant", "Cook", "Field Officer", "Midwife", "Logistician")


def board(rows: int, *, tag: str = "ul", news: int = 0) -> str:
    listed = "".join(
        f"<li><h3><a href='/jobs/{n}'>{NAMES[n]}</a></h3><p>Closing date: {n + 1} May 2031</p></li>"
        for n in range(rows)
    )
    told = "".join(
        f"<article><h3><a href='/news/{n}'>What we did in week {n}</a></h3><p>{n + 1} May 2031. It was a long week."
        "</article>"
        for n in range(news)
    )
    return f"<!doctype html><title>Work with us</title><main><h1>Vacancies</h1><{tag}>{listed}</{tag}>{told}</main>"


async def _positions(service: Service) -> list[Any]:
    return await all_rows(service, tables.list_positions)


async def _present(service: Service) -> set[str]:
    return {record.title for record in await all_records(service) if record.missing_count == 0}


async def test_the_list_is_read_where_it_was_though_something_larger_came_beside_it(
    origin: Origin, tmp_path: Path
) -> None:
    origin.page("/jobs", board(8))

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/jobs", max_depth=0)
        known = await _positions(service)
        origin.page("/jobs", board(1, news=12))
        again = await crawl_again(service, run.source_id, number=2)
        present = await _present(service)
        log = await run_log_of(service, again.id)

    assert [(row.source_id, row.path) for row in known] == [(run.source_id, "body main ul li")]
    assert present == {"Nurse"}
    assert not any("no longer" in line for line in log)


async def test_a_list_that_moved_is_noted_and_remembered_anew(origin: Origin, tmp_path: Path) -> None:
    origin.page("/jobs", board(8))

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/jobs", max_depth=0)
        origin.page("/jobs", board(7, tag="ol"))
        again = await crawl_again(service, run.source_id, number=2)
        log = await run_log_of(service, again.id)
        known = await _positions(service)

    assert any("no longer at body > main > ul > li: now at body > main > ol > li" in line for line in log), log
    assert [row.path for row in known] == ["body main ol li"]


async def test_a_change_of_how_the_source_is_read_forgets_where_its_list_was(origin: Origin, tmp_path: Path) -> None:
    origin.page("/jobs", board(8))

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/jobs", max_depth=0)
        now = service.clock.now()
        await service.db.write(lambda db: set_source(db, run.source_id, now=now, name="Another name"))
        kept = len(await _positions(service))
        await service.db.write(lambda db: set_source(db, run.source_id, now=now, kind=RecordKind.JOB))

        assert (kept, await _positions(service)) == (1, [])


async def test_positions_are_those_of_the_source_and_its_kind(origin: Origin, tmp_path: Path) -> None:
    origin.page("/jobs", board(8))

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/jobs", max_depth=0)
        async with service.db.read() as db:
            of_source = await list_positions.of_sources(db, [run.source_id, run.source_id + 1])
            of_address = await list_positions.of_address(db, origin.url + "/jobs", None)

    assert of_source == {run.source_id: of_address}
    assert [str(position) for position in of_address.values()] == ["body > main > ul > li"]
