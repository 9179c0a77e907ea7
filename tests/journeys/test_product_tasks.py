"""A program that submits product pages one by one: twice is once, and parsing again asks the shop nothing."""

from typing import Any

from tests.origin import Answer, Origin
from tests.service.in_process import asked
from tests.service.installation import Installation, until

PRODUCT = (
    '<html><head><title>Lamp {n}</title><script type="application/ld+json">'
    '{{"@context":"https://schema.org","@type":"Product","name":"Lamp {n}","sku":"L{n}","brand":{{"name":"Wick"}},'
    '"offers":{{"@type":"Offer","price":"{n}9.50","priceCurrency":"EUR","availability":"https://schema.org/InStock"}}}}'
    "</script></head><body><h1>Lamp {n}</h1></body></html>"
)


async def _domain(installation: Installation, origin: Origin) -> int:
    given = {"domain_name": origin.address, "base_url": origin.url, "parser_name": "product", "crawl_delay_seconds": 0}
    made = await installation.post("/api/admin/domains", given, expect=201)
    assert made["success"] is True
    return int(made["data"]["id"])


def _shop(origin: Origin, count: int) -> list[str]:
    for number in range(1, count + 1):
        origin.page(f"/lamp/{number}", PRODUCT.format(n=number), etag=f'"{number}"')
    return [f"{origin.url}/lamp/{number}" for number in range(1, count + 1)]


async def _in(installation: Installation, task_id: int, *wanted: str) -> Any:
    async def look() -> Any:
        shown = (await installation.get(f"/api/admin/tasks/{task_id}"))["data"]
        return shown if shown["status"] in wanted else None

    return await until(look)


async def test_a_submitted_page_is_fetched_and_read_once(installation: Installation, origin: Origin) -> None:
    (url,) = _shop(origin, 1)
    domain = await _domain(installation, origin)

    made = await installation.post("/api/admin/tasks", {"domain_id": domain, "url": url, "priority": 1}, expect=201)
    again = await installation.ask("POST", "/api/admin/tasks", {"domain_id": domain, "url": f"{url}#top"})
    task = await _in(installation, made["data"]["task_id"], "completed")
    found = await installation.get("/api/products/search", q="lamp")

    assert made["data"]["status"] == "pending"
    assert (again.status, again.json["error"]["code"]) == (409, "DUPLICATE_URL")
    assert (task["http_status_code"], task["priority"], task["retry_count"]) == (200, 1, 0)
    assert task["html_path"]
    assert asked(origin) == ["/lamp/1"]
    (product,) = found["data"]
    assert (product["product_name"], float(product["price"]), product["brand"]) == ("Lamp 1", 19.5, "Wick")


async def test_a_batch_counts_what_it_took_what_it_had_and_what_it_could_not_use(
    installation: Installation, origin: Origin
) -> None:
    urls = _shop(origin, 5)
    domain = await _domain(installation, origin)

    batch = await installation.post(
        "/api/admin/tasks/batch", {"domain_id": domain, "urls": [*urls, urls[0], "nonsense"]}, expect=201
    )
    too_many = await installation.ask(
        "POST", "/api/admin/tasks/batch", {"domain_id": domain, "urls": [f"{origin.url}/{n}" for n in range(10_001)]}
    )

    data = batch["data"]
    assert (data["total_submitted"], data["total_duplicates"], data["total_failed"]) == (5, 1, 1)
    assert too_many.status == 400
    for task_id in data["task_ids"]:
        await _in(installation, task_id, "completed")
    listed = await installation.get("/api/admin/tasks", domain_id=domain, per_page=2)
    assert listed["pagination"] == {"page": 1, "per_page": 2, "total": 5, "total_pages": 3}
    assert len(asked(origin)) == 5


async def test_restarting_twice_asks_once_and_restarting_the_parsing_asks_not_at_all(
    installation: Installation, origin: Origin
) -> None:
    (url,) = _shop(origin, 1)
    domain = await _domain(installation, origin)
    made = await installation.post("/api/admin/tasks", {"domain_id": domain, "url": url}, expect=201)
    task_id = made["data"]["task_id"]
    await _in(installation, task_id, "completed")

    reread = await installation.post(f"/api/admin/tasks/{task_id}/restart-parsing", {})
    await _in(installation, task_id, "completed")
    after_reading = len(asked(origin))
    await installation.post(f"/api/admin/tasks/{task_id}/restart", {})
    await installation.post(f"/api/admin/tasks/{task_id}/restart", {})

    async def asked_again() -> bool:
        return len(asked(origin)) >= 2

    await until(asked_again)
    await _in(installation, task_id, "completed")

    assert reread["data"]["status"] == "downloaded"
    assert after_reading == 1
    assert len(asked(origin)) <= 3
    assert origin.log[-1].headers["if-none-match"] == '"1"'


async def test_a_failed_task_is_restarted_with_all_that_failed(installation: Installation, origin: Origin) -> None:
    origin.route("/lamp/1", Answer(status=404))
    domain = await _domain(installation, origin)
    given = {"domain_id": domain, "url": f"{origin.url}/lamp/1", "max_retries": 0}
    made = await installation.post("/api/admin/tasks", given, expect=201)
    failed = await _in(installation, made["data"]["task_id"], "failed")
    no_body = await installation.ask("POST", f"/api/admin/tasks/{failed['id']}/restart-parsing", {})
    _shop(origin, 1)

    restarted = await installation.post("/api/admin/tasks/restart-failed", {"domain_id": domain})

    assert failed["error_message"]
    assert failed["created_at"] <= failed["started_at"] <= failed["updated_at"]
    assert failed["response_time_ms"] is not None
    assert (no_body.status, no_body.json["error"]["code"]) == (400, "HTML_NOT_AVAILABLE")
    assert restarted["data"] == {"total_restarted": 1, "task_ids": [failed["id"]]}
    assert await _in(installation, failed["id"], "completed")


async def test_a_paused_task_waits_and_a_cancelled_one_is_never_asked_for(
    installation: Installation, origin: Origin
) -> None:
    first, second = _shop(origin, 2)
    domain = await _domain(installation, origin)
    await installation.post(f"/api/admin/domains/{domain}/disable")
    tasks = [
        (await installation.post("/api/admin/tasks", {"domain_id": domain, "url": url}, expect=201))["data"]["task_id"]
        for url in (first, second)
    ]

    paused = await installation.post(f"/api/admin/tasks/{tasks[0]}/pause")
    cancelled = await installation.ask("DELETE", f"/api/admin/tasks/{tasks[1]}")
    await installation.post(f"/api/admin/domains/{domain}/enable")
    resumed = await installation.post(f"/api/admin/tasks/{tasks[0]}/resume")
    await _in(installation, tasks[0], "completed")

    assert (paused["data"]["status"], cancelled.json["data"]["status"]) == ("paused", "cancelled")
    assert resumed["data"]["status"] == "pending"
    assert asked(origin) == ["/lamp/1"]


async def test_the_system_tells_how_it_is(installation: Installation) -> None:
    health = await installation.get("/api/health")
    stats = await installation.get("/api/admin/stats")
    queues = await installation.get("/api/admin/queues")

    assert set(health["data"]["services"]) == {"database", "rabbitmq", "elasticsearch"}
    assert set(stats["data"]) == {"tasks", "domains", "proxies", "products", "performance"}
    assert set(queues["data"]) == {"crawl_queue", "parse_queue", "priority_queue", "dead_letter_queue"}
