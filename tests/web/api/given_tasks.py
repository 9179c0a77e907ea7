"""Tasks for tests of the API to start from; nobody carries them out."""

from typing import Any

import sqlalchemy as sa

from lamplighter.app import Store
from lamplighter.store.engine.database import Connection
from lamplighter.store.hosts import hosts
from lamplighter.store.schema import tables
from tests.changing import set_host
from tests.web.asgi_client import Ask

TASKS = "/api/admin/tasks"


async def a_domain(store: Store, key: str = "shop.example") -> int:
    """A domain for which pages may be submitted."""
    now = store.clock.now()

    async def work(db: Connection) -> int:
        await set_host(db, key, now=now, parser_name="auto")
        return (await hosts.ensure(db, [key], now=now))[key]

    return await store.db.write(work)


async def a_task(ask: Ask, domain_id: int, path: str = "/1", **more: Any) -> int:
    """A submitted page of shop.example."""
    reply = await ask.post(TASKS, {"domain_id": domain_id, "url": f"https://shop.example{path}"} | more)
    assert reply.status == 201, reply.text
    return int(reply.json["data"]["task_id"])


async def set_page(store: Store, page_id: int, **columns: Any) -> None:
    """Changes a page behind everybody's back."""

    async def work(db: Connection) -> None:
        await db.execute(sa.update(tables.pages).where(tables.pages.c.id == page_id).values(**columns))

    await store.db.write(work)


async def without_order(store: Store, page_id: int) -> None:
    """Makes a page one that a crawl found by itself."""

    async def work(db: Connection) -> None:
        await db.execute(sa.delete(tables.page_orders).where(tables.page_orders.c.page_id == page_id))

    await store.db.write(work)


async def order_of(store: Store, page_id: int) -> Any:
    """A page's order as stored."""
    async with store.db.read() as db:
        found = sa.select(tables.page_orders).where(tables.page_orders.c.page_id == page_id)
        return (await db.execute(found)).one_or_none()


async def count_of(store: Store, table: sa.Table) -> int:
    """How many rows a table has."""
    async with store.db.read() as db:
        return int(await db.scalar(sa.select(sa.func.count()).select_from(table)))


async def actions_of(store: Store) -> list[str]:
    """What the audit log says was done, the oldest first."""
    async with store.db.read() as db:
        return list(await db.scalars(sa.select(tables.audit_log.c.action).order_by(tables.audit_log.c.id)))
