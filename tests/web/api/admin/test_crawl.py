"""/admin/crawl."""

import asyncio
from uuid import uuid4

from lamplighter.app import Service
from lamplighter.model.access import Stamp
from lamplighter.operations.sources import sources
from lamplighter.operations.sources.sources import NewSource
from lamplighter.store.sources import sources as stored_sources
from tests.origin import Origin
from tests.service.in_process import first_run
from tests.service.sites import job_board
from tests.web.asgi_client import Ask

PATH = "/admin/crawl"


async def _source(service: Service, url: str) -> tuple[int, str]:
    new = NewSource(url=url)
    source_id = await service.db.write(lambda db: sources.add(db, new, stamp=Stamp("test", service.clock.now())))
    async with service.db.read() as db:
        row = await stored_sources.get(db, source_id)
    assert row is not None
    return source_id, row.public_id


async def test_a_source_is_crawled_on_demand_once_at_a_time_and_the_log_tells_of_it(
    ask: Ask, service: Service, origin: Origin
) -> None:
    job_board(origin, postings=2, per_page=2)
    source_id, public_id = await _source(service, origin.url + "/jobs")

    started = await ask.post(f"{PATH}/run", {"source_id": public_id})
    twice = await ask.post(f"{PATH}/run", {"source_id": public_id})
    meanwhile = (await ask.get(f"{PATH}/status")).json
    rounds = asyncio.create_task(service.run())
    await first_run(service, source_id)
    service.stopping.set()
    await rounds
    logs = (await ask.get(f"{PATH}/logs", source_id=public_id)).json
    others = (await ask.get(f"{PATH}/logs", limit=1, offset=1)).json

    assert started.status == 200
    assert twice.status == 409
    assert (meanwhile["in_flight"], meanwhile["locked"], meanwhile["pool"]) == (0, 1, {"global": 512})
    (row,) = logs["logs"]
    assert (row["id"], row["source_id"]) == (started.json["run_id"], public_id)
    assert (row["found"], row["inserted"], row["updated"], row["skipped"], row["status"]) == (2, 2, 0, 0, "ok")
    assert row["duration_ms"] > 0
    assert (others["logs"], others["total"]) == ([], 1)


async def test_what_is_due_is_counted_and_opened_at_once(ask: Ask, service: Service, origin: Origin) -> None:
    await _source(service, origin.url + "/jobs")
    await service.events.deliver.deliver_all()

    before = (await ask.get(f"{PATH}/status")).json
    opened = await ask.post(f"{PATH}/run_due")
    after = (await ask.get(f"{PATH}/status")).json
    again = await ask.post(f"{PATH}/run_due")
    noted = (await ask.get("/api/v1/audit", action="crawl.run_due")).json["entries"]

    assert (before["running"], before["due_count"]) == (True, 1)
    assert opened.json == {"queued": 1}
    assert (after["due_count"], after["locked"], after["in_flight"]) == (0, 1, 0)
    assert again.json == {"queued": 0}
    assert [(entry["actor"], entry["after"]) for entry in noted] == [("local", {"runs": 1})]


async def test_an_unknown_source_is_neither_run_nor_logged(ask: Ask) -> None:
    run = await ask.post(f"{PATH}/run", {"source_id": str(uuid4())})
    logs = await ask.get(f"{PATH}/logs", source_id=str(uuid4()))
    nonsense = await ask.post(f"{PATH}/run", {"source_id": "x"})

    assert (run.status, run.json["code"], logs.status, nonsense.status) == (404, "source_not_found", 404, 422)
