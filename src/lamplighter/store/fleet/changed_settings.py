"""SQL about settings that were changed while running."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from lamplighter.model.access import Stamp
from lamplighter.settings import Settings
from lamplighter.store.engine.database import Connection
from lamplighter.store.engine.upsert import insert
from lamplighter.store.schema.tables import changed_settings


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedSetting:
    """A changed setting: its value, by whom and when."""

    value: Any
    changed_by: str
    changed_at: datetime


_ALL = sa.select(*changed_settings.c)


async def every(db: Connection) -> Mapping[str, ChangedSetting]:
    """All changed settings by name."""
    return {
        row.name: ChangedSetting(value=row.value, changed_by=row.changed_by, changed_at=row.changed_at)
        for row in await db.execute(_ALL)
    }


async def take_into(settings: Settings, db: Connection) -> bool:
    """Takes the stored changes into the settings; whether anything is different now."""
    return settings.take({name: each.value for name, each in (await every(db)).items()})


async def put(db: Connection, name: str, value: Any, *, stamp: Stamp) -> None:
    """Stores the new value of a setting."""
    row = {"value": value, "changed_by": stamp.actor, "changed_at": stamp.now}
    statement = insert(db, changed_settings).values(name=name, **row)
    await db.execute(statement.on_conflict_do_update(index_elements=["name"], set_=row))


async def remove(db: Connection, name: str) -> None:
    """Forgets a change, so that the default applies again."""
    await db.execute(sa.delete(changed_settings).where(changed_settings.c.name == name))
