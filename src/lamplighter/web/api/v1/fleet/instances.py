"""Instances: the processes on this database."""

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, Field

from lamplighter.operations.fleet import instances
from lamplighter.web.routes import Routes
from lamplighter.web.view import View

ROUTES = Routes("/api/v1/instances", tag="instances")


class InstanceOut(BaseModel):
    """A process; lost after a minute without a heartbeat."""

    id: str = Field(examples=["worker-3f9d2c41ab07"])
    kind: str = Field(examples=["worker"])
    state: Literal["alive", "stopping", "lost"]
    duties: list[str] = Field(examples=[["fetch", "parse"]])
    leads: list[str]
    machine: str
    pid: int
    version: str
    started_at: datetime
    heartbeat_at: datetime
    figures: dict[str, float] = Field(examples=[{"hosts_held": 84, "pages_in_hand": 12, "peak_memory_mb": 142.5}])


class InstancesOut(BaseModel):
    """Instances."""

    instances: list[InstanceOut]
    total: int
    alive: int
    lost: int


@ROUTES.get("", response_model=InstancesOut)
async def list_instances(view: View) -> Any:
    """Processes on this database, the oldest first; lost ones stay listed for a day."""
    seen = await view.read(lambda db: instances.everyone(db, now=view.clock.now()))
    lost = sum(each.state == "lost" for each in seen)
    return {"instances": instances.form(seen), "total": len(seen), "alive": len(seen) - lost, "lost": lost}
