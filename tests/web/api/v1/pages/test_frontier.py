"""The frontier over the API: every page, whoever found it."""

from typing import Any
from uuid import UUID, uuid4

from lamplighter.app import Service, Store
from lamplighter.model.page import Phase
from lamplighter.store.schema import tables
from lamplighter.web.page_ids import number_of, shown
from tests.changing import set_source
from tests.web.api.given_pages import a_source, found_pages
from tests.web.api.given_tasks import actions_of, order_of, set_page
from tests.web.asgi_client import Ask

FRONTIER = "/api/v1/frontier"
ENTRY = (
    "id url host source_id source_name depth priority status last_error last_error_detail retry_count next_fetch_at "
    "discovered_at fetched_at parent_url"
).split()


async def test_a_page_may_be_submitted_for_itself_and_is_due_once(ask: Ask, store: Store) -> None:
    replies = [
        await ask.post(f"{FRONTIER}/submit", {"url": "https://a.example/1", "priority": 90}),
        await ask.post(FRONTIER, {"url": "https://a.example/2"}),
    ]
    again = await ask.post(FRONTIER, {"url": "https://a.example/2#part"})

    first, second = (reply.json for reply in replies)
    order = await order_of(store, number_of(UUID(first["id"])))
    assert [reply.status for reply in replies] == [201, 201]
    assert set(first) == set(ENTRY)
    assert (first["host"], first["status"], first["priority"], second["priority"]) == ("a.example", "pending", 90, 50)
    assert (first["source_id"], first["source_name"]) == (None, None)
    assert (order.frequency_seconds, order.priority) == (None, 90)
    assert (again.status, again.json["code"]) == (409, "duplicate_url")


async def test_a_page_may_be_submitted_for_a_source_that_takes_pages(ask: Ask, service: Service) -> None:
    source_id, public_id = await a_source(service)
    (known,) = await found_pages(service, source_id, "/known", phase=Phase.COMPLETED)

    new = await ask.post(FRONTIER, {"url": "https://a.example/new", "source_id": public_id})
    old = await ask.post(FRONTIER, {"url": "https://a.example/known", "source_id": public_id})
    nowhere = await ask.post(FRONTIER, {"url": "https://a.example/x", "source_id": str(uuid4())})
    await service.db.write(lambda db: set_source(db, source_id, now=service.clock.now(), enabled=False))
    disabled = await ask.post(FRONTIER, {"url": "https://a.example/x", "source_id": public_id})

    assert (new.status, new.json["source_id"], new.json["source_name"]) == (201, public_id, "a")
    assert (old.status, old.json["id"]) == (201, str(shown(known)))
    assert (nowhere.status, nowhere.json["code"]) == (404, "source_not_found")
    assert (disabled.status, disabled.json["code"]) == (409, "source_disabled")


async def test_lists_are_narrowed_by_status_host_source_and_words(ask: Ask, service: Service, store: Store) -> None:
    source_id, public_id = await a_source(service)
    one, two, three, four = await found_pages(service, source_id, "/one", "/two_2", "/three", "/four")
    await set_page(store, one, phase=Phase.FAILED, reason="timeout", detail="too slow")
    await set_page(store, two, phase=Phase.FAILED, reason="not_found", found_on=one)
    await set_page(store, three, phase=Phase.COMPLETED)
    other = number_of(UUID((await ask.post(FRONTIER, {"url": "https://b.example/five"})).json["id"]))
    cases: list[tuple[dict[str, Any], list[int]]] = [
        ({}, [other, four, three, two, one]),
        ({"status": "failed"}, [one]),
        ({"status": "dead"}, [two]),
        ({"status": "fetched"}, [three]),
        ({"status": "pending"}, [other, four]),
        ({"status": "fetching"}, []),
        ({"host": "B.example"}, [other]),
        ({"host": "nowhere.example"}, []),
        ({"source_id": public_id, "limit": 2, "offset": 1}, [three, two]),
        ({"search": "FIVE"}, [other]),
        ({"search": "o_2"}, [two]),
        ({"search": "%"}, []),
    ]

    for query, expected in cases:
        reply = await ask.get(FRONTIER, **query)
        assert [entry["id"] for entry in reply.json["urls"]] == [str(shown(page)) for page in expected], query
    stats = (await ask.get(f"{FRONTIER}/stats")).json
    shown_two = (await ask.get(f"{FRONTIER}/{shown(two)}")).json

    assert (await ask.get(FRONTIER, source_id=public_id)).json["total"] == 4
    assert {name: count for name, count in stats["by_status"].items() if count} == {
        "pending": 2,
        "fetched": 1,
        "failed": 1,
        "dead": 1,
    }
    assert stats["by_host"] == [{"host": "a.example", "count": 4}, {"host": "b.example", "count": 1}]
    assert (shown_two["last_error"], shown_two["parent_url"]) == ("not_found", "https://a.example/one")
    for query in ({"limit": 251}, {"offset": -1}, {"status": "lost"}, {"source_id": "x"}, {"search": "a\u0000"}):
        assert (await ask.get(FRONTIER, **query)).status == 422, query


async def test_a_page_that_a_crawl_found_is_tried_again_by_an_order_for_this_once(
    ask: Ask, service: Service, store: Store
) -> None:
    source_id, _ = await a_source(service)
    (page,) = await found_pages(service, source_id, "/1", phase=Phase.FAILED, reason="timeout")

    replies = [await ask.post(f"{FRONTIER}/{shown(page)}/retry") for _ in range(2)]
    await service.leading.task_rounds.make_round()
    order = await order_of(store, page)

    assert [(reply.status, reply.json["status"]) for reply in replies] == [(200, "pending")] * 2
    assert (order.frequency_seconds, order.next_at) == (None, None)
    async with store.db.read() as db:
        run = (await db.execute(tables.crawl_runs.select())).one()
    assert (run.source_id, run.trigger, run.page_budget, run.page_count) == (source_id, "tasks", 1, 1)


async def test_a_page_is_forgotten_unless_it_is_in_flight_or_a_source_begins_with_it(
    ask: Ask, service: Service, store: Store
) -> None:
    source_id, _ = await a_source(service)
    first, seed = await found_pages(service, source_id, "/1", "/")
    await set_page(store, seed, role="seed", phase=Phase.COMPLETED)
    await service.db.write(lambda db: _wake(db, service))
    await service.door.turns.claim(1)
    await set_page(store, first, requested_at=service.clock.now())

    in_flight = await ask.delete(f"{FRONTIER}/{shown(first)}")
    start_page = await ask.delete(f"{FRONTIER}/{shown(seed)}")
    await set_page(store, first, phase=Phase.FAILED)
    forgotten = [await ask.delete(f"{FRONTIER}/{shown(first)}") for _ in range(2)]

    assert (in_flight.status, in_flight.json["code"]) == (409, "in_flight")
    assert start_page.status == 409
    assert [reply.status for reply in forgotten] == [204, 404]
    assert (await actions_of(store))[-1] == "page.forget"
    assert (await ask.get(f"{FRONTIER}/{uuid4()}")).status == 404


async def _wake(db: Any, service: Service) -> None:
    await db.execute(tables.hosts.update().values(due_at=service.clock.now()))
