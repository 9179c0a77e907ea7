"""What runs wrote down: read in parts, taken home, and watched as it is written."""

from typing import Any

import orjson
import pytest
from fastapi import FastAPI

from lamplighter.app import Service
from lamplighter.model.run_log import LogAction, LogLevel
from lamplighter.store.engine.database import Connection
from lamplighter.store.runs import run_log
from lamplighter.web.api import event_stream
from tests.web.api.event_streams import streamed
from tests.web.api.given_sources import Watched, on_sqlite, watched
from tests.web.asgi_client import Ask


@pytest.fixture
async def source(service: Service, ask: Ask) -> Watched:
    """A source of which a run goes on."""
    found = await watched(service, ask)
    await ask.post(f"{found.path}/force-run")
    return found


async def _say(source: Watched, *messages: str, **about: Any) -> None:
    """The run writes something down."""
    now = source.service.clock.now()
    said = {"action": LogAction.PAGE_FAILED, "level": LogLevel.INFO} | about

    async def work(db: Connection) -> None:
        await run_log.write(db, [run_log.line(1, message=message, at=now, **said) for message in messages])

    await source.service.db.write(work)


async def test_the_logs_of_a_job_are_told_run_by_run(source: Watched, ask: Ask) -> None:
    await _say(source, "one", "two")

    found = (await ask.get(f"{source.path}/logs")).json

    (run,) = found["executions"]
    assert (found["total"], run["lines"], run["status"], run["execution_number"]) == (1, 3, "running", 1)
    assert run["first_line_at"] <= run["last_line_at"]
    for url in (run["view_url"], run["download_url"]):
        assert (await ask(url)).status == 200


async def test_lines_are_read_in_parts_and_by_kind(source: Watched, ask: Ask) -> None:
    await _say(source, *(f"line {number}" for number in range(5)))
    await _say(source, "odd", action=LogAction.PARSE_NOTED, level=LogLevel.WARNING, pages=3)
    seen, after = [], 0

    while after is not None:
        part = (await ask.get(f"{source.path}/logs/view", limit=3, after=after)).json
        seen += [line["message"] for line in part["lines"]]
        after = part["next_after"]
    odd = (await ask.get(f"{source.path}/logs/view", level="warning", category="parse", execution=1)).json
    by_action = (await ask.get(f"{source.path}/logs/view", action="parse.noted")).json
    unknown = await ask.get(f"{source.path}/logs/view", level="loud")

    assert seen[1:] == [*(f"line {number}" for number in range(5)), "odd"]
    assert part["total"] == 7
    assert ([line["message"] for line in odd["lines"]], odd["total"]) == (["odd"], 1)
    assert by_action["lines"] == odd["lines"]
    assert (odd["lines"][0]["action"], odd["lines"][0]["fields"]) == ("parse.noted", {"pages": 3})
    assert unknown.status == 422


@on_sqlite
async def test_a_run_that_is_not_there_is_not_found(source: Watched, ask: Ask) -> None:
    for execution, status in (("2", 404), ("0f8e1c3a-6d2b-4a77-8a39-2f7f5b1f9c20", 404), ("nonsense", 422)):
        for part in ("view", "download", "stream", "stream/v2"):
            assert (await ask.get(f"{source.path}/logs/{part}", execution=execution)).status == status


async def test_a_download_has_every_line_and_no_line_end_of_a_page_makes_another(source: Watched, ask: Ask) -> None:
    await _say(source, "evil\r\n2026-01-01 ERROR [fetch] forged\u2028too", *(f"line {n}" for n in range(600)))

    text = await ask.get(f"{source.path}/logs/download")
    ndjson = await ask.get(f"{source.path}/logs/download", format="ndjson")

    lines = text.text.splitlines()
    assert len(lines) == 602
    assert r"evil\r\n2026-01-01 ERROR [fetch] forged\u2028too" in lines[1]
    assert text.headers["content-type"] == "text/plain; charset=utf-8"
    assert text.headers["content-disposition"] == f'attachment; filename="job-{source.job_id}-run-1.log"'
    objects = [orjson.loads(line) for line in ndjson.text.split("\n") if line]
    assert (objects[0]["action"], objects[0]["fields"]["trigger"]) == ("run.opened", "manual")
    assert [each["message"] for each in objects][2:] == [f"line {n}" for n in range(600)]
    assert ndjson.headers["content-type"] == "application/x-ndjson"


async def test_a_stream_replays_follows_and_ends_with_the_run(source: Watched, web: FastAPI) -> None:
    await _say(source, "before")

    async with streamed(web, f"{source.path}/logs/stream/v2") as stream:
        first = [await stream.next() for _ in range(3)]
        await _say(source, "while it\nwas watched")
        live = await stream.next()
        await source.end()
        rest = await stream.all()

    assert stream.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert [each.event for each in first if each] == ["status", "log", "log"]
    assert live is not None
    assert (live.event, live.data["message"]) == ("log", "while it\nwas watched")
    assert [(each.event, each.data["status"]) for each in rest[-2:]] == [("status", "completed"), ("end", "completed")]
    assert [each.event for each in rest[:-2]] == ["log"]


async def test_a_stream_taken_up_again_goes_on_exactly_where_it_was(source: Watched, web: FastAPI) -> None:
    await _say(source, *(f"line {number}" for number in range(700)))
    await source.end()

    async with streamed(web, f"{source.path}/logs/stream/v2") as stream:
        replayed = [each for each in await stream.all() if each.event == "log"]
    middle = replayed[50]
    async with streamed(web, f"{source.path}/logs/stream/v2", last_event_id=str(middle.id)) as stream:
        again = [each for each in await stream.all() if each.event == "log"]
    async with streamed(web, f"{source.path}/logs/stream/v2", last_event_id="1") as stream:
        from_the_first = [each for each in await stream.all() if each.event == "log"]

    assert len(replayed) == 200
    assert again == replayed[51:]
    assert [each.data["message"] for each in from_the_first][:2] == ["line 0", "line 1"]
    assert len(from_the_first) == 701


@on_sqlite
async def test_who_follows_is_led_to_the_next_run(source: Watched, web: FastAPI, ask: Ask) -> None:
    async with streamed(web, f"{source.path}/logs/stream/v2", "follow=true") as stream:
        await stream.next()
        await source.end()
        await ask.post(f"{source.path}/force-run")
        seen = []
        while len(seen) < 5:
            found = await stream.next()
            assert found is not None
            seen.append((found.event, found.data.get("execution_number")))

    numbers = [number for event, number in seen if event == "status"]
    assert numbers == [1, 2]


@on_sqlite
async def test_the_plain_stream_is_of_lines_alone(source: Watched, web: FastAPI) -> None:
    await _say(source, "one")
    await source.end()

    async with streamed(web, f"{source.path}/logs/stream") as stream:
        messages = await stream.all()

    assert {(each.event, each.id) for each in messages} == {(None, None)}
    assert [each.data["category"] for each in messages] == ["lifecycle", "fetch", "lifecycle"]


@on_sqlite
async def test_a_quiet_stream_shows_that_it_is_alive(
    source: Watched, web: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_stream.Heartbeat.__init__, "__kwdefaults__", {"every": 0.5})

    async with streamed(web, f"{source.path}/logs/stream/v2") as stream:
        seen = [await stream.next() for _ in range(3)]

    assert [each.event for each in seen if each] == ["status", "log", "heartbeat"]


@on_sqlite
async def test_streams_are_bounded_and_end_when_the_service_stops(source: Watched, web: FastAPI, ask: Ask) -> None:
    web.state.streams = event_stream.Streams(most=1)
    path = f"{source.path}/logs/stream/v2"

    async with streamed(web, path, "follow=true") as stream:
        await stream.next()
        refused = await ask.get(path)
        web.state.streams.stop()
        await stream.all()
    async with streamed(web, path) as again:
        await again.all()

    assert (refused.status, refused.headers["retry-after"]) == (503, "15")
    assert "the most there may be" in refused.json["detail"]
    assert again.status == 200
