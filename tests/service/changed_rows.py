"""Rows of a running service that tests change without its operations."""

from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from lamplighter.app import Service
from lamplighter.store.engine.database import Connection

FIVE_MINUTES = timedelta(minutes=5)


async def change(service: Service, table: sa.Table, **values: Any) -> None:
    """Sets columns of every row of a table."""

    async def work(db: Connection) -> None:
        await db.execute(sa.update(table).values(values))

    await service.db.write(work)
