"""The task API: what it takes, what it answers, and what each state allows."""

import hashlib
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from lamplighter.app import Service, Store
from lamplighter.model.page import PAUSED_UNREAD, Phase
from lamplighter.store.hosts import hosts
from lamplighter.store.schema import tables
from tests.captures import capture
from tests.changing import add_proxy
from tests.web.api.given_tasks import TASKS, a_domain, a_task, actions_of, count_of, order_of, set_page, without_order
from tests.web.asgi_client import Ask

LATER = datetime(2100, 1, 1, tzinfo=UTC)
WHOLE = (
    "id domain_id domain_name url url_hash status priority scheduled_at started_at completed_at retry_count "
    "max_retries error_message crawl_frequency next_crawl_at recrawl_count is_recurring html_path http_status_code "
    "redirected_to waiting parent_task_id batch_id response_time_ms proxy_id proxy_url created_at updated_at created_by"
).split()


async def _action(ask: Ask, task_id: int, action: str, **given: Any) -> tuple[int, Any]:
    reply = await ask.post(f"{TASKS}/{task_id}/{action}", given or None)
    return reply.status, reply.json["data"] if reply.status == 200 else reply.json["error"]["code"]


async def test_a_submitted_page_shows_everything_that_was_said_of_it(ask: Ask, store: Store) -> None:
    domain_id = await a_domain(store)
    given = {"priority": 2, "crawl_frequency": "90 minutes", "scheduled_at": "2030-01-01T00:00:00Z", "max_retries": 1}

    made = await ask.post(TASKS, {"domain_id": domain_id, "url": "HTTPS://Shop.example/1?b=2&a=1#x"} | given)
    task = (await ask.get(f"{TASKS}/{made.json['data']['task_id']}")).json["data"]

    assert made.json["success"] is True
    assert set(made.json["data"]) == {
        "task_id",
        "url",
        "url_hash",
        "status",
        "priority",
        "scheduled_at",
        "created_at",
    }
    assert set(task) == set(WHOLE)
    assert (task["url"], task["domain_id"], task["domain_name"]) == (
        "https://shop.example/1?a=1&b=2",
        domain_id,
        "shop.example",
    )
    assert task["url_hash"] == hashlib.sha256(task["url"].encode()).hexdigest()
    assert (task["status"], task["priority"], task["max_retries"]) == ("pending", 2, 1)
    assert (task["crawl_frequency"], task["is_recurring"]) == ("1 hour 30 minutes", True)
    assert (task["scheduled_at"], task["html_path"]) == ("2030-01-01T00:00:00Z", None)


async def test_a_task_says_by_which_proxy_it_was_asked_for_and_not_with_which_password(ask: Ask, store: Store) -> None:
    added = {"protocol": "http", "address": "proxy.example", "port": 3128, "username": "canary"}
    proxy_id = await store.db.write(lambda db: add_proxy(db, now=store.clock.now(), **added))
    task_id = await a_task(ask, await a_domain(store))
    await set_page(store, task_id, proxy_id=proxy_id)

    task = (await ask.get(f"{TASKS}/{task_id}")).json["data"]

    assert (task["proxy_id"], task["proxy_url"]) == (proxy_id, "http://proxy.example:3128")


async def test_what_cannot_be_taken_is_refused_with_its_own_code_and_changes_nothing(ask: Ask, store: Store) -> None:
    domain_id = await a_domain(store)
    not_a_domain = (await store.db.write(lambda db: hosts.ensure(db, ["met.example"], now=store.clock.now())))[
        "met.example"
    ]
    good = {"domain_id": domain_id, "url": "https://shop.example/1"}
    task_id = await a_task(ask, domain_id)
    cases: list[tuple[dict[str, Any], int, str]] = [
        (good, 409, "DUPLICATE_URL"),
        (good | {"url": "https://shop.example/1#again"}, 409, "DUPLICATE_URL"),
        (good | {"url": "nonsense"}, 400, "INVALID_URL"),
        (good | {"url": "https://elsewhere.example/"}, 400, "INVALID_URL"),
        (good | {"url": "https://shop.example/\u0000"}, 400, "INVALID_URL"),
        (good | {"domain_id": 99}, 404, "DOMAIN_NOT_FOUND"),
        (good | {"domain_id": not_a_domain}, 404, "DOMAIN_NOT_FOUND"),
        (good | {"domain_id": 2**63}, 400, "INVALID_REQUEST"),
        (good | {"url": "https://shop.example/2", "priority": 0}, 400, "INVALID_PRIORITY"),
        (good | {"url": "https://shop.example/2", "priority": 11}, 400, "INVALID_PRIORITY"),
        (good | {"url": "https://shop.example/2", "crawl_frequency": "5 seconds"}, 400, "INVALID_REQUEST"),
        (good | {"url": "https://shop.example/2", "crawl_frequency": "often"}, 400, "INVALID_INTERVAL"),
        (good | {"url": "https://shop.example/2", "colour": "red"}, 400, "INVALID_REQUEST"),
    ]

    for given, status, code in cases:
        reply = await ask.post(TASKS, given)
        assert (reply.status, reply.json["error"]["code"]) == (status, code), given
    assert f"task {task_id}" in (await ask.post(TASKS, good)).json["error"]["message"]
    assert await count_of(store, tables.pages) == 1


async def test_a_batch_keeps_the_order_and_counts_what_it_did_not_take(ask: Ask, store: Store) -> None:
    domain_id = await a_domain(store)
    there = await a_task(ask, domain_id, "/3")
    urls = [f"https://shop.example/{number}" for number in range(1200)]

    reply = await ask.post(f"{TASKS}/batch", {"domain_id": domain_id, "urls": [*urls, urls[0], "nonsense", "ftp://x/"]})
    listed = (await ask.get(TASKS, domain_id=domain_id, per_page=3, sort_by="id", sort_order="asc")).json

    data = reply.json["data"]
    assert reply.status == 201
    assert (data["total_submitted"], data["total_duplicates"], data["total_failed"]) == (1199, 2, 2)
    assert data["task_ids"] == sorted(data["task_ids"])
    assert there not in data["task_ids"]
    assert [detail["url"] for detail in data["details"]] == ["nonsense", "ftp://x/"]
    assert listed["pagination"] == {"page": 1, "per_page": 3, "total": 1200, "total_pages": 400}
    assert set(listed) == {"success", "data", "message", "pagination"}
    assert [task["url"] for task in listed["data"]] == [f"https://shop.example/{number}" for number in (3, 0, 1)]


async def test_one_url_too_many_refuses_the_whole_batch(ask: Ask, store: Store) -> None:
    domain_id = await a_domain(store)
    urls = [f"https://shop.example/{number}" for number in range(10_001)]

    reply = await ask.post(f"{TASKS}/batch", {"domain_id": domain_id, "urls": urls})

    assert reply.status == 400
    assert await count_of(store, tables.pages) == 0


#: phase -> what is possible from it, and where that leads
STEPS: dict[Phase, dict[str, str]] = {
    Phase.WAITING: {"restart": "pending", "pause": "paused", "resume": "pending"},
    Phase.PENDING: {"restart": "pending", "pause": "paused", "resume": "pending"},
    Phase.DOWNLOADED: {"restart-parsing": "downloaded", "pause": "paused", "resume": "downloaded"},
    Phase.COMPLETED: {"restart": "pending", "restart-parsing": "downloaded"},
    Phase.FAILED: {"restart": "pending", "restart-parsing": "downloaded"},
    Phase.PAUSED: {"restart": "pending", "restart-parsing": "downloaded", "pause": "paused", "resume": "pending"},
    Phase.CANCELLED: {"restart": "pending", "restart-parsing": "downloaded"},
}


async def _kept(service: Service, body: bytes) -> str:
    (kept,) = await service.storing.archive.put([capture(body)])
    return kept.key


async def test_from_each_state_only_its_own_steps_are_possible_and_twice_is_once(
    ask: Ask, store: Store, service: Service
) -> None:
    domain_id = await a_domain(store)
    key = await _kept(service, b"<p>held")
    body = {"body_key": key, "body_hash": "0" * 64, "fetched_at": store.clock.now()}

    for phase, steps in STEPS.items():
        for action in ("restart", "restart-parsing", "pause", "resume"):
            task_id = await a_task(ask, domain_id, f"/{phase}/{action}")
            await set_page(store, task_id, phase=phase, **body)

            status, data = await _action(ask, task_id, action)
            again, _ = await _action(ask, task_id, action)

            if action in steps:
                assert (status, data["status"]) == (200, steps[action]), (phase, action)
                assert again == 200, (phase, action)
            else:
                assert (status, data) == (400, "INVALID_STATUS"), (phase, action)


async def test_whatever_becomes_of_a_task_it_says_when(ask: Ask, store: Store, service: Service) -> None:
    task_id = await a_task(ask, await a_domain(store))
    seen = [(await ask.get(f"{TASKS}/{task_id}")).json["data"]["updated_at"]]

    for action in ("pause", "resume"):
        await ask.post(f"{TASKS}/{task_id}/{action}")
        seen.append((await ask.get(f"{TASKS}/{task_id}")).json["data"]["updated_at"])
    await ask.patch(f"{TASKS}/{task_id}/priority", {"priority": 1})
    seen.append((await ask.get(f"{TASKS}/{task_id}")).json["data"]["updated_at"])
    await service.leading.task_rounds.make_round()
    await set_page(store, task_id, phase=Phase.FAILED, reason="timeout")
    seen.append((await ask.get(f"{TASKS}/{task_id}")).json["data"]["updated_at"])

    assert seen == sorted(set(seen))


async def test_a_task_may_be_cancelled_wherever_it_stands_and_is_not_due_any_more(ask: Ask, store: Store) -> None:
    domain_id = await a_domain(store)

    for phase in Phase:
        task_id = await a_task(ask, domain_id, f"/{phase}")
        await set_page(store, task_id, phase=phase)
        replies = [await ask.delete(f"{TASKS}/{task_id}") for _ in range(2)]

        assert [reply.json["data"] for reply in replies] == [{"task_id": task_id, "status": "cancelled"}] * 2
        assert phase is Phase.CANCELLED or (await order_of(store, task_id)).next_at is None


async def test_what_was_paused_before_it_was_read_is_read_when_it_goes_on(
    ask: Ask, store: Store, service: Service
) -> None:
    task_id = await a_task(ask, await a_domain(store))
    key = await _kept(service, b"<p>held")
    await set_page(store, task_id, phase=Phase.DOWNLOADED, body_key=key, body_hash="0" * 64, content_hash="1" * 64)

    paused = await _action(ask, task_id, "pause")
    async with store.db.read() as db:
        row = (await db.execute(tables.pages.select())).one()
    resumed = await _action(ask, task_id, "resume")

    assert paused[1] == {"task_id": task_id, "status": "paused", "previous_status": "downloaded"}
    assert (row.reason, row.content_hash) == (PAUSED_UNREAD, None)
    assert resumed[1]["status"] == "downloaded"


async def test_restarting_says_when_how_important_and_with_how_many_tries(ask: Ask, store: Store) -> None:
    task_id = await a_task(ask, await a_domain(store))
    await set_page(store, task_id, phase=Phase.FAILED, retry_count=3, reason="timeout", detail="too slow")
    later = store.clock.now() + timedelta(hours=1)

    _, data = await _action(
        ask, task_id, "restart", reset_retry_count=False, priority=1, scheduled_at=later.isoformat()
    )

    assert (data["status"], data["retry_count"], data["priority"]) == ("pending", 3, 1)
    assert (await order_of(store, task_id)).next_at == later
    assert (await ask.get(f"{TASKS}/{task_id}")).json["data"]["error_message"] is None


async def test_only_submitted_pages_that_failed_are_restarted_together(ask: Ask, store: Store) -> None:
    domain_id, other = await a_domain(store), await a_domain(store, "other.example")
    ids = [await a_task(ask, domain_id, f"/{number}") for number in range(4)]
    for task_id in ids[:3]:
        await set_page(store, task_id, phase=Phase.FAILED, reason="timeout", retry_count=3)

    nothing = await ask.post(f"{TASKS}/restart-failed", {"domain_id": other})
    two = await ask.post(f"{TASKS}/restart-failed", {"domain_id": domain_id, "limit": 2})
    rest = await ask.post(f"{TASKS}/restart-failed")

    assert nothing.json["data"] == {"total_restarted": 0, "task_ids": []}
    assert two.json["data"] == {"total_restarted": 2, "task_ids": ids[:2]}
    assert rest.json["data"]["task_ids"] == [ids[2]]
    assert (await ask.get(f"{TASKS}/{ids[0]}")).json["data"]["retry_count"] == 0


async def test_only_what_failed_since_then_is_restarted_also_of_runs_that_go_on(
    ask: Ask, store: Store, service: Service
) -> None:
    now, hour = store.clock.now(), timedelta(hours=1)
    task_id = await a_task(ask, await a_domain(store))
    await service.leading.task_rounds.make_round()
    await set_page(store, task_id, phase=Phase.FAILED, reason="timeout")

    later = await ask.post(f"{TASKS}/restart-failed", {"failed_after": (now + hour).isoformat()})
    since = await ask.post(f"{TASKS}/restart-failed", {"failed_after": (now - hour).isoformat()})

    assert later.json["data"]["task_ids"] == []
    assert since.json["data"]["task_ids"] == [task_id]


async def test_a_page_without_a_body_cannot_be_read_again(ask: Ask, store: Store, service: Service) -> None:
    task_id = await a_task(ask, await a_domain(store))
    await set_page(store, task_id, phase=Phase.FAILED)
    never_had = await _action(ask, task_id, "restart-parsing")
    key = await _kept(service, b"<p>not to be kept")
    await service.storing.archive.discard([key])
    await set_page(store, task_id, body_key=key)

    discarded = await _action(ask, task_id, "restart-parsing")

    assert never_had == discarded == (400, "HTML_NOT_AVAILABLE")


async def test_importance_runs_from_one_to_ten(ask: Ask, store: Store) -> None:
    task_id = await a_task(ask, await a_domain(store))

    for priority, before in ((1, 5), (10, 1)):
        reply = await ask.patch(f"{TASKS}/{task_id}/priority", {"priority": priority})
        data = {"task_id": task_id, "priority": priority, "previous_priority": before}
        assert reply.json["data"] == data
    for priority in (0, 11, -(2**63) + 1):
        reply = await ask.patch(f"{TASKS}/{task_id}/priority", {"priority": priority})
        assert (reply.status, reply.json["error"]["code"]) == (400, "INVALID_PRIORITY")
    assert (await ask.get(f"{TASKS}/{task_id}")).json["data"]["priority"] == 10


async def test_lists_are_narrowed_and_sorted_by_the_database(ask: Ask, store: Store) -> None:
    domain_id = await a_domain(store)
    ids = [
        await a_task(ask, domain_id, f"/{number}", priority=number, is_recurring=number % 2 == 0)
        for number in range(1, 11)
    ]
    await set_page(store, ids[0], phase=Phase.COMPLETED, fetched_at=store.clock.now(), took_ms=7)
    await set_page(store, ids[1], phase=Phase.PAUSED, fetched_at=store.clock.now() - timedelta(days=1))
    await set_page(store, ids[2], created_at=store.clock.now() - timedelta(days=1))
    await without_order(store, ids[2])
    later = (store.clock.now() + timedelta(hours=1)).isoformat()
    cases: list[tuple[dict[str, Any], list[int]]] = [
        ({}, ids[::-1]),
        ({"status": "completed"}, ids[:1]),
        ({"status": "pending"}, ids[:1:-1]),
        ({"status": "queued_parse"}, []),
        ({"priority_min": 3, "priority_max": 4}, [ids[3], ids[2]]),
        ({"priority_max": 1}, ids[:1]),
        ({"priority_min": 10}, ids[9:]),
        ({"is_recurring": "false"}, ids[::2][::-1]),
        ({"created_after": later}, []),
        ({"created_before": later, "status": "paused"}, [ids[1]]),
        ({"domain_id": domain_id + 7}, []),
        ({"sort_by": "priority", "sort_order": "asc", "per_page": 2}, ids[:2]),
        ({"sort_by": "response_time_ms", "per_page": 1}, ids[:1]),
        ({"sort_by": "url", "sort_order": "asc", "per_page": 2, "page": 2}, [ids[1], ids[2]]),
        ({"sort_by": "completed_at", "per_page": 1}, ids[:1]),
        ({"sort_by": "completed_at", "sort_order": "asc", "per_page": 1}, ids[:1]),
        ({"sort_by": "scheduled_at", "sort_order": "asc", "per_page": 1}, ids[2:3]),
    ]

    for query, expected in cases:
        reply = await ask.get(TASKS, **query)
        assert [task["id"] for task in reply.json["data"]] == expected, query
    for query in ({"per_page": 101}, {"page": 0}, {"status": "lost"}, {"sort_by": "colour"}, {"priority_min": 0}):
        assert (await ask.get(TASKS, **query)).status == 400, query


async def test_a_pending_page_of_a_host_that_is_being_asked_is_crawled_or_in_line(
    ask: Ask, store: Store, service: Service
) -> None:
    domain_id = await a_domain(store)
    ids = [await a_task(ask, domain_id, f"/{number}") for number in range(2)]
    await service.leading.task_rounds.make_round()
    before = [(await ask.get(f"{TASKS}/{task_id}")).json["data"]["status"] for task_id in ids]
    await service.door.turns.claim(1)
    await set_page(store, ids[0], requested_at=store.clock.now())

    listed = (await ask.get(TASKS, sort_order="asc")).json["data"]
    stats = (await ask.get(f"{TASKS}/stats", domain_id=domain_id)).json["data"]

    assert before == ["pending", "pending"]
    assert [task["status"] for task in listed] == ["crawling", "queued"]
    assert [task["id"] for task in (await ask.get(TASKS, status="crawling")).json["data"]] == ids[:1]
    assert {name: count for name, count in stats["by_status"].items() if count} == {"crawling": 1, "queued": 1}


async def test_statistics_count_where_tasks_stand_and_how_visits_went(ask: Ask, store: Store, service: Service) -> None:
    domain_id = await a_domain(store)
    ids = [await a_task(ask, domain_id, f"/{number}") for number in range(4)]
    await service.leading.task_rounds.make_round()
    for task_id, took_ms in zip(ids[:2], (100, 201), strict=True):
        await set_page(store, task_id, phase=Phase.COMPLETED, took_ms=took_ms)
    await set_page(store, ids[2], phase=Phase.FAILED, took_ms=30_000)

    mine = (await ask.get(f"{TASKS}/stats", domain_id=domain_id, time_range="7d")).json["data"]
    everything = (await ask.get(f"{TASKS}/stats")).json["data"]

    assert (mine["total_tasks"], mine["success_rate"], mine["avg_response_time_ms"]) == (4, 66.67, 150.5)
    assert (mine["time_range"], mine["total_recrawls"]) == ("7d", 0)
    assert mine["by_status"] == everything["by_status"]
    assert len(mine["by_status"]) == 10
    assert (await ask.get(f"{TASKS}/stats", time_range="soon")).status == 400


@pytest.mark.parametrize("path", ["", "/restart", "/pause", "/priority"])
async def test_a_task_that_is_not_there_is_not_found(ask: Ask, path: str) -> None:
    method = {"": "GET", "/priority": "PATCH"}.get(path, "POST")

    reply = await ask(f"{TASKS}/99{path}", method=method, json={"priority": 1} if method == "PATCH" else None)

    assert (reply.status, reply.json["error"]["code"]) == (404, "TASK_NOT_FOUND")


async def test_whatever_is_done_with_a_task_stands_in_the_audit_log(ask: Ask, store: Store) -> None:
    task_id = await a_task(ask, await a_domain(store))

    for action in ("pause", "resume", "restart"):
        await _action(ask, task_id, action)
    await ask.patch(f"{TASKS}/{task_id}/priority", {"priority": 1})
    await ask.delete(f"{TASKS}/{task_id}")

    done = ["submit", "pause", "resume", "restart", "priority", "cancel"]
    assert await actions_of(store) == [f"task.{action}" for action in done]


async def test_what_is_taken_down_is_refused_as_a_task_and_blocked_as_a_source_at_once(ask: Ask, store: Store) -> None:
    domain_id = await a_domain(store)
    await ask.post("/api/v1/takedowns", {"domain_or_url": "shop.example"})

    task = await ask.post(TASKS, {"domain_id": domain_id, "url": "https://shop.example/1"})
    batch = await ask.post(f"{TASKS}/batch", {"domain_id": domain_id, "urls": ["https://shop.example/2"]})
    source = await ask.post("/api/v1/sources", {"url": "https://shop.example/jobs"})
    job = (await ask.get("/api/v1/jobs")).json["jobs"][0]

    assert (task.status, task.json["error"]["code"]) == (400, "TAKEN_DOWN"), task.text
    assert (batch.json["data"]["total_submitted"], batch.json["data"]["total_failed"]) == (0, 1)
    assert source.status == 201, source.text
    assert job["status"] == "paused"


@pytest.mark.parametrize("phase", [Phase.WAITING, Phase.PENDING])
async def test_restarting_a_task_that_has_not_run_resets_it_and_brings_it_forward(
    phase: Phase, ask: Ask, store: Store
) -> None:
    task_id = await a_task(ask, await a_domain(store), scheduled_at="2040-01-01T00:00:00Z")
    later = store.clock.now() + timedelta(hours=1)
    await set_page(store, task_id, phase=phase, retry_count=2, due_at=later, reason="timeout", detail="slow")

    before = (await ask.get(f"{TASKS}/{task_id}")).json["data"]
    done = (await ask.post(f"{TASKS}/{task_id}/restart", {"priority": 1})).json["data"]
    task = (await ask.get(f"{TASKS}/{task_id}")).json["data"]

    assert (done["retry_count"], done["priority"]) == (0, 1)
    assert task["scheduled_at"] < before["scheduled_at"]
    assert (task["error_message"], task["retry_count"], task["priority"]) == (None, 0, 1)
    assert task["updated_at"] >= before["updated_at"]


async def test_a_pending_task_can_be_put_off(ask: Ask, store: Store) -> None:
    task_id = await a_task(ask, await a_domain(store))
    await set_page(store, task_id, phase=Phase.PENDING)

    status, data = await _action(ask, task_id, "restart", scheduled_at="2040-01-01T00:00:00Z")

    assert (status, data["status"], data["scheduled_at"]) == (200, "pending", "2040-01-01T00:00:00Z")
    assert (await order_of(store, task_id)).next_at.year == 2040


async def test_a_downloaded_task_is_not_restarted_and_the_answer_says_why(ask: Ask, store: Store) -> None:
    task_id = await a_task(ask, await a_domain(store))
    await set_page(store, task_id, phase=Phase.DOWNLOADED)

    reply = await ask.post(f"{TASKS}/{task_id}/restart")

    assert (reply.status, reply.json["error"]["code"]) == (400, "INVALID_STATUS")
    assert "it is downloaded" in reply.json["error"]["message"]


async def test_priority_frequency_and_retries_of_a_task_can_be_changed(ask: Ask, store: Store) -> None:
    task_id = await a_task(ask, await a_domain(store))
    now = store.clock.now()
    await set_page(store, task_id, phase=Phase.COMPLETED, fetched_at=now)

    changed = await ask.patch(f"{TASKS}/{task_id}", {"priority": 2, "crawl_frequency": "2 hours", "max_retries": 7})
    planned = (await order_of(store, task_id)).next_at
    once = (await ask.patch(f"{TASKS}/{task_id}", {"is_recurring": False})).json["data"]

    data = changed.json["data"]
    assert (data["priority"], data["crawl_frequency"], data["max_retries"]) == (2, "2 hours", 7)
    assert planned == now + timedelta(hours=2)
    assert (once["is_recurring"], once["next_crawl_at"], once["priority"]) == (False, None, 2)
    assert (await order_of(store, task_id)).next_at is None


async def test_a_page_that_a_crawl_found_has_no_frequency_to_change(ask: Ask, store: Store) -> None:
    task_id = await a_task(ask, await a_domain(store))
    await without_order(store, task_id)

    reply = await ask.patch(f"{TASKS}/{task_id}", {"crawl_frequency": "2 hours"})

    assert (reply.status, reply.json["error"]["code"]) == (400, "INVALID_STATUS")


async def test_the_times_of_a_task_tell_of_its_retries_and_of_its_failure(ask: Ask, store: Store) -> None:
    task_id = await a_task(ask, await a_domain(store))
    failed_at, retry_at = store.clock.now() + timedelta(minutes=1), store.clock.now() + timedelta(minutes=3)
    await set_page(store, task_id, phase=Phase.PENDING, retry_count=1, failed_at=failed_at, due_at=retry_at)
    retried = (await ask.get(f"{TASKS}/{task_id}")).json["data"]
    await set_page(store, task_id, phase=Phase.FAILED, due_at=None)
    failed = (await ask.get(f"{TASKS}/{task_id}")).json["data"]

    too_late = await ask.post(f"{TASKS}/restart-failed", {"failed_after": (failed_at + timedelta(1)).isoformat()})
    in_time = await ask.post(f"{TASKS}/restart-failed", {"failed_after": failed_at.isoformat()})

    assert datetime.fromisoformat(retried["scheduled_at"]) == retry_at
    assert datetime.fromisoformat(retried["updated_at"]) == failed_at
    assert datetime.fromisoformat(failed["completed_at"]) == failed_at
    assert (too_late.json["data"]["total_restarted"], in_time.json["data"]["total_restarted"]) == (0, 1)


async def test_a_task_that_waits_for_a_retry_is_pending_while_its_host_is_being_fetched(ask: Ask, store: Store) -> None:
    domain_id = await a_domain(store)
    task_id, now = await a_task(ask, domain_id), store.clock.now()
    await set_page(store, task_id, phase=Phase.PENDING, due_at=now + timedelta(minutes=2))
    await store.db.write(
        lambda db: db.execute(sa.update(tables.hosts).values(lease_owner="x", lease_until=now + timedelta(minutes=1)))
    )

    task = (await ask.get(f"{TASKS}/{task_id}")).json["data"]

    assert task["status"] == "pending"


async def test_a_webhook_inside_this_network_or_without_a_secret_is_refused(ask: Ask, store: Store) -> None:
    new = {"domain_id": await a_domain(store), "url": "https://shop.example/1", "webhook_secret": "0123456789abcdef"}

    inside = await ask.post(TASKS, new | {"webhook_url": "http://10.1.2.3/hook"})
    unsigned = await ask.post(TASKS, new | {"webhook_url": "https://hooks.example/", "webhook_secret": None})

    assert (inside.status, unsigned.status) == (400, 400)
    assert "webhook_secret" in unsigned.text


async def test_a_batch_can_be_listed_and_restarted(ask: Ask, store: Store) -> None:
    domain_id = await a_domain(store)
    parent_id = await a_task(ask, domain_id)
    urls = [f"https://shop.example/{number}" for number in range(2, 5)]
    made = await ask.post(f"{TASKS}/batch", {"domain_id": domain_id, "urls": urls, "parent_task_id": parent_id})
    ids, batch_id = made.json["data"]["task_ids"], made.json["data"]["batch_id"]
    await set_page(store, ids[0], phase=Phase.FAILED, retry_count=3)
    await set_page(store, ids[1], phase=Phase.PENDING)

    listed = [
        (await ask.get(TASKS, **by)).json["data"] for by in ({"batch_id": batch_id}, {"parent_task_id": parent_id})
    ]
    restarted = await ask.post(f"{TASKS}/batches/{batch_id}/restart")
    task = (await ask.get(f"{TASKS}/{ids[0]}")).json["data"]
    unknown = await ask.post(f"{TASKS}/batches/nonsense/restart")

    assert [sorted(each["id"] for each in part) for part in listed] == [ids, ids]
    assert restarted.json["data"]["task_ids"] == [ids[0], ids[2]]
    assert (task["status"], task["retry_count"], task["batch_id"]) == ("pending", 0, batch_id)
    assert task["parent_task_id"] == parent_id
    assert unknown.status == 404


async def test_the_parent_of_a_task_must_exist(ask: Ask, store: Store) -> None:
    new = {"domain_id": await a_domain(store), "url": "https://shop.example/1", "parent_task_id": 99}

    reply = await ask.post(TASKS, new)

    assert (reply.status, reply.json["error"]["code"]) == (404, "TASK_NOT_FOUND")


async def test_a_one_time_task_keeps_its_frequency_and_has_no_next_visit(ask: Ask, store: Store) -> None:
    task_id = await a_task(ask, await a_domain(store), is_recurring=False, crawl_frequency="2 hours")
    await set_page(store, task_id, phase=Phase.COMPLETED, fetched_at=store.clock.now())

    once = (await ask.get(f"{TASKS}/{task_id}")).json["data"]
    longer = (await ask.patch(f"{TASKS}/{task_id}", {"crawl_frequency": "3 hours"})).json["data"]
    again = (await ask.patch(f"{TASKS}/{task_id}", {"is_recurring": True})).json["data"]
    recurring = (await ask.get(f"{TASKS}?is_recurring=true")).json["data"]

    shown = [(task["crawl_frequency"], task["is_recurring"], task["next_crawl_at"]) for task in (once, longer)]
    assert shown == [("2 hours", False, None), ("3 hours", False, None)]
    assert (again["crawl_frequency"], again["is_recurring"]) == ("3 hours", True)
    assert again["next_crawl_at"] is not None
    assert [task["id"] for task in recurring] == [task_id]


@pytest.mark.parametrize(
    ("host", "reason", "has_end"),
    [
        pytest.param({"enabled": False}, "its host shop.example is disabled", False, id="disabled"),
        pytest.param({"blocked_until": LATER, "block_reason": "HTTP 500"}, "requests: HTTP 500", True, id="blocked"),
        pytest.param(
            {"proxy_wait_until": LATER, "proxy_wait_reason": "they rest"}, "a proxy: they rest", True, id="proxy"
        ),
    ],
)
async def test_a_task_says_what_keeps_it_from_being_fetched_and_until_when(
    ask: Ask, store: Store, host: dict[str, Any], reason: str, has_end: bool
) -> None:
    task_id = await a_task(ask, await a_domain(store))
    free = (await ask.get(f"{TASKS}/{task_id}")).json["data"]["waiting"]
    await store.db.write(lambda db: db.execute(sa.update(tables.hosts).values(host)))

    told = (await ask.get(f"{TASKS}/{task_id}")).json["data"]["waiting"]
    (listed,) = (await ask.get(TASKS)).json["data"]

    assert free is None
    assert reason in told["reason"]
    assert (told["until"] is not None) is has_end
    assert listed["waiting"] == told


async def test_a_task_of_a_domain_in_maintenance_says_so_and_until_when(ask: Ask, store: Store) -> None:
    domain_id = await a_domain(store)
    now = store.clock.now()
    hours = f"{now - timedelta(hours=1):%H:%M}-{now + timedelta(hours=1):%H:%M}"

    changed = await ask.patch(f"/api/admin/domains/{domain_id}", {"maintenance_windows": hours})
    task = (await ask.get(f"{TASKS}/{await a_task(ask, domain_id)}")).json["data"]

    assert changed.json["data"]["maintenance_windows"] == f"deny {hours} UTC"
    assert f"deny {hours}" in task["waiting"]["reason"]
    assert now < datetime.fromisoformat(task["waiting"]["until"]) <= now + timedelta(hours=1)
