"""GET /api/v1/index and what can be ordered there; who finds records, and what happens when that server is away."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from fastapi import FastAPI

from lamplighter.app import Service, Store, open_service
from lamplighter.app.web_view import view_of
from lamplighter.operations.records import search_index
from lamplighter.settings import Settings, load
from lamplighter.store.schema import tables
from lamplighter.web.server import make_app
from tests.servers.meilisearch import Meilisearch
from tests.store.records.given_records import posting
from tests.web.api.given_records import JOBS, PRODUCTS, stored
from tests.web.asgi_client import Ask

PATH = "/api/v1/index"


@pytest.fixture
async def stub() -> AsyncIterator[Meilisearch]:
    """A search server."""
    async with Meilisearch(key="secret-key") as opened:
        yield opened


@pytest.fixture
def searched(stub: Meilisearch, tmp_path: Path, migrated_url: str) -> Settings:
    """An installation that has it."""
    url = f"meilisearch+{stub.url}"
    return load({}, data_dir=tmp_path, database_url=migrated_url, index_url=url, index_key="secret-key")


@pytest.fixture
async def serving(searched: Settings) -> AsyncIterator[Service]:
    """Its service, whose loops nobody has started."""
    async with open_service(searched) as opened:
        yield opened


@pytest.fixture
def ask_there(serving: Service) -> Ask:
    """Asks it."""
    web: FastAPI = make_app(view_of(serving))
    return Ask(web)


async def _told(service: Service) -> None:
    assert service.index.keeper is not None
    await service.index.keeper.make_round()


async def _keep(service: Service) -> None:
    store = Store(db=service.db, clock=service.clock)
    await stored(store, JOBS)
    await stored(store, PRODUCTS, source="b")
    await _told(service)


async def test_without_a_server_the_database_says_so_and_nothing_can_be_ordered(ask: Ask, store: Store) -> None:
    await stored(store, JOBS)

    shown = (await ask.get(PATH)).json
    refused = await ask.post(f"{PATH}/reindex")

    assert (shown["engine"], shown["pending"], shown["in_database"], shown["in_index"]) == ("database", 0, 2, None)
    assert (refused.status, refused.json["code"]) == (409, "not_possible")
    assert (await ask.get("/api/v1/records")).json["engine"] == "database"
    assert (await ask.get("/api/products")).headers["x-search-engine"] == "database"


async def test_records_and_products_are_found_by_the_server(ask_there: Ask, serving: Service) -> None:
    await _keep(serving)

    records = (await ask_there.get("/api/v1/records", q="water", highlight="true", facets="kind,source")).json
    products = await ask_there.get("/api/products/search", q="lamp")

    assert (records["engine"], records["total"]) == ("meilisearch", 2)
    assert [each["title"] for each in records["records"]] == ["Water engineer", "Writer"]
    assert records["records"][0]["highlight"]["title"] == "<mark>Water</mark> engineer"
    assert [(each["label"], each["count"]) for each in records["facets"]["source"]] == [("a.example", 2)]
    assert [each["product_name"] for each in products.json["data"]] == ["Lamp"]
    assert products.headers["x-search-engine"] == "meilisearch"


async def test_p6_a_server_that_is_away_is_seen_in_the_answer_and_not_in_an_error(
    ask_there: Ask, serving: Service, stub: Meilisearch
) -> None:
    await _keep(serving)
    await stub.stop()

    found = await ask_there.get("/api/v1/records", q="water", facets="kind")
    shown = (await ask_there.get(PATH)).json
    health = (await ask_there.get("/health")).json
    parts = (await ask_there.get("/api/health")).json["data"]["services"]

    assert (found.status, found.json["engine"], found.json["total"]) == (200, "database", 2)
    assert found.json["facets"]["kind"] == [{"value": "job", "label": None, "count": 2}]
    assert shown["in_index"] is None
    assert "reached" in shown["trouble"]
    assert health["index"] == {"state": "away", "engine": "meilisearch", "pending": 0, "parked": 0}
    assert parts["elasticsearch"]["status"] == "unhealthy"
    assert "secret-key" not in found.text + str(shown) + str(health)


async def test_p6_a_server_that_hangs_holds_up_nobody_who_looks_how_the_index_stands(
    ask_there: Ask, serving: Service, stub: Meilisearch, monkeypatch: pytest.MonkeyPatch
) -> None:
    await _keep(serving)
    monkeypatch.setattr(search_index, "PATIENCE_SECONDS", 0.1)
    stub.slow_seconds = 120

    async with asyncio.timeout(60):
        shown = (await ask_there.get(PATH)).json

    assert shown["in_index"] is None


async def test_it_shows_what_waits_and_what_was_given_up(ask_there: Ask, serving: Service, stub: Meilisearch) -> None:
    await _keep(serving)
    values = {"record_id": 4, "entered_at": serving.clock.now(), "parked_at": serving.clock.now(), "try_count": 6}
    given_up = sa.insert(tables.index_outbox).values(**values, detail="too long")
    await serving.db.write(lambda db: db.execute(given_up))
    await stored(Store(db=serving.db, clock=serving.clock), [posting(9)], source="c")

    shown = (await ask_there.get(PATH)).json

    assert (shown["engine"], shown["in_database"], shown["in_index"]) == ("meilisearch", 5, 4)
    assert (shown["pending"], shown["parked"], shown["oldest_at"] is not None) == (1, 1, True)
    assert [(each["record_id"], each["tries"], each["reason"]) for each in shown["parked_records"]] == [
        (4, 6, "too long")
    ]


@pytest.mark.parametrize("what", ["reindex", "reconcile"])
async def test_what_is_ordered_is_done_in_the_next_round(
    ask_there: Ask, serving: Service, stub: Meilisearch, what: str
) -> None:
    await _keep(serving)
    stub.indexes["lamplighter_records"].documents.clear()

    ordered = await ask_there.post(f"{PATH}/{what}")
    waiting = (await ask_there.get(PATH)).json["ordered"]
    await _told(serving)

    shown = (await ask_there.get(PATH)).json
    assert (ordered.status, ordered.json, waiting) == (202, {"ordered": what}, what)
    assert (shown["ordered"], shown["in_index"]) == (None, 4)
    log = (await ask_there.get("/api/v1/audit")).json
    assert f"index.{what}" in str(log)
