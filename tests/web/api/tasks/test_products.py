"""Products in the task API's words."""

from typing import Any

import sqlalchemy as sa

from lamplighter.app import Store
from lamplighter.model.record import RecordKind
from lamplighter.store.records import records
from lamplighter.store.schema import tables
from tests.moments import NOON
from tests.store.given_rows import a_run, some_pages, write
from tests.store.records.given_records import found, posting
from tests.web.asgi_client import Ask

PATH = "/api/products"
LAMP = posting(
    1,
    kind=RecordKind.PRODUCT,
    title="Oil lamp",
    description="Burns all night.",
    organisation="Lamps Ltd",
    fields={
        "price": 19.9,
        "currency": "EUR",
        "availability": "in_stock",
        "brand": "Lux",
        "sku": "L-1",
        "category": "Lamps",
        "rating": 4.5,
        "review_count": 127,
        "image": "https://a.example/1.jpg",
        "images": ["https://a.example/1.jpg", "https://a.example/2.jpg"],
        "colour": "brass",
    },
)
LANTERN = posting(2, kind=RecordKind.PRODUCT, title="Night lantern", fields={"price": 100.0, "rating": "nice"})
TORCH = posting(3, kind=RecordKind.PRODUCT, title="Torch", fields={"brand": "Nox", "rating": 3})


async def _shop(store: Store) -> int:
    """A shop at a.example, watched, with a page of its own for the lamp."""
    source_id, run_id = await write(store.db, a_run)
    (page_id,) = await write(store.db, some_pages, source_id, run_id, "/1")
    finds = [found(source_id, page_id, LAMP), *(found(source_id, None, one) for one in (LANTERN, TORCH, posting(4)))]
    await write(store.db, records.put, finds, now=NOON)

    async def settle(connection: Any) -> int:
        host_id = await connection.scalar(sa.select(tables.hosts.c.id).where(tables.hosts.c.key == "a.example"))
        await connection.execute(sa.update(tables.crawl_jobs).values(host_id=host_id))
        return int(host_id)

    return await store.db.write(settle)


async def _ids(ask: Ask, path: str = PATH, **query: Any) -> list[int]:
    reply = await ask.get(path, **query)
    assert reply.status == 200, reply.text
    assert reply.json["pagination"]["total"] == len(reply.json["data"])
    return [product["id"] for product in reply.json["data"]]


async def test_a_product_is_shown_with_all_its_keys(ask: Ask, store: Store) -> None:
    domain_id = await _shop(store)

    shown = (await ask.get(f"{PATH}/1")).json["data"]

    assert shown["metadata"].pop("record_id")
    assert shown == {
        "id": 1,
        "domain_id": domain_id,
        "domain_name": "a.example",
        "crawl_task_id": 1,
        "url": "https://a.example/1",
        "product_name": "Oil lamp",
        "description": "Burns all night.",
        "price": 19.9,
        "currency": "EUR",
        "availability": "in_stock",
        "rating": 4.5,
        "review_count": 127,
        "brand": "Lux",
        "category": "Lamps",
        "sku": "L-1",
        "metadata": {
            "state": "present",
            "language": None,
            "seller": "Lamps Ltd",
            "tags": ["night"],
            "quality": 0.5,
            "colour": "brass",
        },
        "images": [
            {
                "image_url": f"https://a.example/{place}.jpg",
                "image_type": "main" if place == 1 else "gallery",
                "alt_text": None,
                "position": place,
                "width": None,
                "height": None,
            }
            for place in (1, 2)
        ],
        "created_at": "2026-03-14T12:00:00.123456Z",
        "updated_at": "2026-03-14T12:00:00.123456Z",
    }


async def test_products_are_listed_filtered_and_sorted(ask: Ask, store: Store) -> None:
    domain_id = await _shop(store)
    expected: list[tuple[dict[str, Any], list[int]]] = [
        ({}, [3, 2, 1]),
        ({"sort_by": "price"}, [2, 1, 3]),
        ({"sort_by": "price", "sort_order": "asc"}, [1, 2, 3]),
        ({"sort_by": "rating"}, [1, 3, 2]),
        ({"sort_by": "product_name", "sort_order": "asc"}, [2, 1, 3]),
        ({"domain_id": domain_id}, [3, 2, 1]),
        ({"domain_id": domain_id + 1}, []),
        ({"brand": "lux"}, [1]),
        ({"category": "lamps"}, [1]),
        ({"price_min": 20}, [2]),
        ({"price_max": 19.9}, [1]),
        ({"availability": "in_stock"}, [1]),
        ({"rating_min": 3}, [3, 1]),
    ]

    assert [(query, await _ids(ask, **query)) for query, _ in expected] == expected
    line = (await ask.get(PATH, brand="Lux")).json["data"][0]
    assert set(line) == {"id", "product_name", "price", "brand", "rating", "availability"}


async def test_products_are_searched(ask: Ask, store: Store) -> None:
    await _shop(store)

    assert await _ids(ask, f"{PATH}/search", q="night") == [2, 1]
    assert await _ids(ask, f"{PATH}/search", q="night -lantern", price_max=20) == [1]
    assert await _ids(ask, f"{PATH}/search", q='"); --') == [3, 2, 1]
    assert await _ids(ask, f"{PATH}/search", q="posting") == []


async def test_a_page_says_where_in_the_list_it_is(ask: Ask, store: Store) -> None:
    await _shop(store)

    reply = await ask.get(PATH, page=2, per_page=2)

    assert [product["id"] for product in reply.json["data"]] == [1]
    assert reply.json["pagination"] == {"page": 2, "per_page": 2, "total": 3, "total_pages": 2}


async def test_what_is_no_product_is_not_found(ask: Ask, store: Store) -> None:
    await _shop(store)

    nothing, other_kind = await ask.get(f"{PATH}/99"), await ask.get(f"{PATH}/4")

    for reply in (nothing, other_kind):
        assert (reply.status, reply.json["error"]["code"]) == (404, "PRODUCT_NOT_FOUND")


async def test_what_cannot_be_asked_is_refused_in_the_envelope(ask: Ask) -> None:
    refused: list[tuple[str, dict[str, Any]]] = [
        ("", {"per_page": 101}),
        ("", {"sort_by": "fields"}),
        ("", {"domain_id": 2**63}),
        ("", {"brand": "\x00"}),
        ("/search", {"price_min": -1}),
        ("/search", {"sort_by": "price"}),
        (f"/{2**63}", {}),
        ("/0", {}),
    ]

    for path, query in refused:
        reply = await ask.get(PATH + path, **query)

        assert (reply.status, reply.json["success"]) == (400, False), (path, query)
