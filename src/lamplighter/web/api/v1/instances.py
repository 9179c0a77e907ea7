"""Instances: the processes that work on this database."""

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel

from lamplighter import __version__
from lamplighter.operations import instances
from lamplighter.web.api.routes import Routes
from lamplighter.web.view import View

ROUTES = Routes("/api/v1/instances", tag="instances")
_EXAMPLE = {
    "id": "worker-3f9d2c41ab07",
    "kind": "worker",
    "state": "alive",
    "duties": ["fetch", "parse"],
    "leads": [],
    "machine": "crawler-2",
    "pid": 4711,
    "version": __version__,
    "started_at": "2026-03-14T12:00:00Z",
    "heartbeat_at": "2026-03-14T12:41:05Z",
    "figures": {"hosts_held": 84, "pages_in_hand": 12, "peak_memory_mb": 142.5},
}


class InstanceOut(BaseModel):
    """A process; lost when nothing was heard of it for a minute."""

    id: str
    kind: str
    state: Literal["alive", "stopping", "lost"]
    duties: list[str]
    leads: list[str]
    machine: str
    pid: int
    version: str
    started_at: datetime
    heartbeat_at: datetime
    figures: dict[str, float]


class InstancesOut(BaseModel):
    """All of them."""

    instances: list[InstanceOut]
    total: int
    alive: int
    lost: int


@ROUTES.get("", response_model=InstancesOut, example={"instances": [_EXAMPLE], "total": 1, "alive": 1, "lost": 0})
async def list_instances(view: View) -> Any:
    """Processes on this database, the longest there first; those that were lost stay listed for a day."""
    async with view.db.read() as db:
        seen = await instances.everyone(db, now=view.clock.now())
    lost = sum(each.state == "lost" for each in seen)
    return {"instances": instances.form(seen), "total": len(seen), "alive": len(seen) - lost, "lost": lost}
