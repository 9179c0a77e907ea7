"""Submitted pages in a service of this process, asked for over the application's API."""

from typing import Any

from lamplighter.app import Service
from lamplighter.store.engine.database import Connection
from lamplighter.store.hosts import hosts
from tests.changing import set_host
from tests.origin import Origin
from tests.service.waiting import until
from tests.web.asgi_client import ask_of

TASKS = "/api/admin/tasks"


class Desk:
    """Where tasks for one origin are submitted and looked after."""

    def __init__(self, service: Service, origin: Origin, host_id: int) -> None:
        self.service = service
        self.origin = origin
        self.host_id = host_id
        self.ask = ask_of(service)

    @classmethod
    async def of(cls, service: Service, origin: Origin) -> "Desk":
        """A desk for an origin, whose host is made a domain."""
        now = service.clock.now()

        async def work(db: Connection) -> int:
            await set_host(db, origin.address, now=now, parser_name="auto")
            return (await hosts.ensure(db, [origin.address], now=now))[origin.address]

        return cls(service, origin, await service.db.write(work))

    async def submit(self, path: str, **more: Any) -> int:
        """Submits a page, and returns the task's id."""
        given = {"domain_id": self.host_id, "url": self.origin.url + path, "is_recurring": False} | more
        reply = await self.ask.post(TASKS, given)
        assert reply.status == 201, reply.text
        return int(reply.json["data"]["task_id"])

    async def do(self, task_id: int, action: str, **given: Any) -> dict[str, Any]:
        """Does something with a task that must succeed."""
        reply = await self.ask.post(f"{TASKS}/{task_id}/{action}", given or None)
        assert reply.status == 200, reply.text
        data: dict[str, Any] = reply.json["data"]
        return data

    async def task(self, task_id: int) -> dict[str, Any]:
        """A task as the API shows it."""
        data: dict[str, Any] = (await self.ask.get(f"{TASKS}/{task_id}")).json["data"]
        return data

    async def once(self, task_id: int, status: str) -> dict[str, Any]:
        """A task, as soon as it has this status."""

        async def look() -> dict[str, Any] | None:
            task = await self.task(task_id)
            return task if task["status"] == status else None

        return await until(look)
