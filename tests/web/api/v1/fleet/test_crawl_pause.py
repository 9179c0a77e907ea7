"""The switch for all crawling, over the API."""

from lamplighter.app import Service
from tests.web.asgi_client import Ask

PATH = "/api/v1/crawl/pause"


async def test_it_is_said_who_paused_since_when_and_why(ask: Ask) -> None:
    before = await ask.get(PATH)
    begun = await ask.post(PATH, {"reason": "the proxies move"})

    shown = await ask.get(PATH)

    assert before.json == {"paused": False, "since": None, "paused_by": None, "reason": None}
    assert (begun.status, begun.json) == (200, shown.json)
    assert (shown.json["paused"], shown.json["reason"], shown.json["paused_by"]) == (True, "the proxies move", "local")


async def test_this_process_knows_at_once(ask: Ask, service: Service) -> None:
    await ask.post(PATH)
    paused = service.crawl_pause.current
    await ask.delete(PATH)

    assert paused is not None
    assert service.crawl_pause.current is None


async def test_it_cannot_be_paused_twice_or_resumed_unpaused(ask: Ask) -> None:
    too_early = await ask.delete(PATH)
    await ask.post(PATH)

    twice = await ask.post(PATH)

    assert (too_early.status, too_early.json["code"]) == (409, "crawling_not_paused")
    assert (twice.status, twice.json["code"]) == (409, "crawling_paused")


async def test_a_reason_has_bounds(ask: Ask) -> None:
    reply = await ask.post(PATH, {"reason": "x" * 501})

    assert reply.status == 422


async def test_while_paused_nothing_that_is_due_is_run_by_hand(ask: Ask) -> None:
    await ask.post(PATH, {"reason": "the proxies move"})

    reply = await ask.post("/admin/crawl/run_due")

    assert (reply.status, reply.json["code"]) == (409, "crawling_paused")
    assert "the proxies move" in reply.json["detail"]
