"""Links that crawls discovered, over the API."""

from lamplighter.app import Service, Store
from lamplighter.model.page import Phase
from lamplighter.store.schema import tables
from lamplighter.web.page_ids import shown
from tests.web.api.given_pages import a_source, found_pages
from tests.web.api.given_tasks import count_of, set_page
from tests.web.asgi_client import Ask

LINKS = "/api/v1/discovered-links"


async def test_only_pages_found_on_other_pages_are_links(ask: Ask, service: Service, store: Store) -> None:
    source_id, public_id = await a_source(service)
    start, link = await found_pages(service, source_id, "/", "/job/1")
    await set_page(store, link, found_on=start)

    listed = (await ask.get(LINKS, source_id=public_id, search="job")).json
    one = await ask.get(f"{LINKS}/{shown(link)}")
    other = await ask.get(f"{LINKS}/{shown(start)}")

    assert (listed["total"], listed["total_is_exact"]) == (1, True)
    assert listed["links"] == [one.json]
    assert (one.json["url"], one.json["parent_url"]) == ("https://a.example/job/1", "https://a.example/")
    assert (other.status, other.json["code"]) == (404, "link_not_found")


async def test_a_link_is_forgotten_with_nothing_else(ask: Ask, service: Service, store: Store) -> None:
    source_id, _ = await a_source(service)
    start, link = await found_pages(service, source_id, "/", "/job/1", phase=Phase.COMPLETED)
    await set_page(store, link, found_on=start)

    replies = [await ask.delete(f"{LINKS}/{shown(page)}") for page in (start, link, link)]

    assert [reply.status for reply in replies] == [404, 204, 404]
    assert await count_of(store, tables.pages) == 1


async def test_a_link_becomes_a_source_with_a_job_once(ask: Ask, service: Service, store: Store) -> None:
    source_id, _ = await a_source(service)
    start, link = await found_pages(service, source_id, "/", "/board")
    await set_page(store, link, found_on=start)

    made = await ask.post(f"{LINKS}/{shown(link)}/create-job", {"name": "Board"})
    again = await ask.post(f"{LINKS}/{shown(link)}/create-job")

    assert made.status == 201
    assert (made.json["source_name"], made.json["url"]) == ("Board", "https://a.example/board")
    assert made.json["status"] == "pending"
    assert again.status == 409
    assert await count_of(store, tables.crawl_jobs) == 2
