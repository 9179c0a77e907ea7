"""An installation as its operators meet it: a service that makes its rounds, behind HTTP and a login."""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import aiohttp
import jwt
from multidict import CIMultiDict

from lamplighter.app import Service, open_service
from lamplighter.app.web_view import view_of
from lamplighter.settings import load
from lamplighter.web.server import WebServer, make_app

T = TypeVar("T")
SECRET = "wick-and-oil-for-a-hundred-lamps-in-the-harbour"
PATIENCE_SECONDS = 300.0


@dataclass(frozen=True)
class Reply:
    """What the service answered."""

    status: int
    headers: CIMultiDict[str]
    body: bytes
    json: Any


class Installation:
    """Asked as a program asks: over a connection, with a token."""

    def __init__(self, service: Service, session: aiohttp.ClientSession, *, url: str) -> None:
        self.service = service
        #: where it answers, without a slash at the end
        self.url = url
        self._session = session

    async def ask(self, method: str, path: str, json: Any = None, *, role: str = "operator", **query: Any) -> Reply:
        """One request by somebody with this role."""
        given = {name: str(value) for name, value in query.items()}
        headers = {"Authorization": f"Bearer {bearer(role)}"}
        async with self._session.request(method, path, json=json, params=given, headers=headers) as answer:
            body = await answer.read()
            is_json = "json" in answer.content_type and body
            return Reply(
                answer.status,
                CIMultiDict(answer.headers),
                body,
                await answer.json(content_type=None) if is_json else None,
            )

    async def get(self, path: str, **query: Any) -> Any:
        """The JSON of something that must be there."""
        reply = await self.ask("GET", path, **query)
        assert reply.status == 200, (path, reply.status, reply.body)
        return reply.json

    async def first_event_of(self, path: str) -> str:
        """The first thing told by an answer that does not end."""
        headers = {"Authorization": f"Bearer {bearer('viewer')}"}
        async with self._session.get(path, headers=headers) as answer:
            assert answer.status == 200
            async with asyncio.timeout(PATIENCE_SECONDS):
                while not (line := await answer.content.readline()).startswith(b"data:"):
                    pass
            return line.decode()

    async def post(self, path: str, json: Any = None, *, expect: int = 200, role: str = "operator") -> Any:
        """The JSON of something done that must succeed."""
        reply = await self.ask("POST", path, json, role=role)
        assert reply.status == expect, (path, reply.status, reply.body)
        return reply.json

    async def add_source(self, url: str, **more: Any) -> Any:
        """Adds a source over the API."""
        return await self.post("/api/v1/sources", {"name": "Lantern News", "url": url} | more, expect=201)


@asynccontextmanager
async def running(folder: Path, database_url: str, **chosen: Any) -> AsyncIterator[Installation]:
    """A service with its web server on a free port, both going on until the block ends."""
    values: dict[str, Any] = {
        "data_dir": folder,
        "database_url": database_url,
        "allow_hosts": "127.0.0.0/8",
        "auth_jwt_secret": SECRET,
        "min_delay_ms": 0,
        "poll_seconds": 0.1,
        "grace_seconds": 2,
        "max_pages": 50,
    } | chosen
    async with open_service(load({}, **values)) as service:
        with socket.create_server(("127.0.0.1", 0)) as listening:
            server = WebServer(make_app(view_of(service)), grace_seconds=2)
            base = f"http://127.0.0.1:{listening.getsockname()[1]}"
            async with aiohttp.ClientSession(base) as session, asyncio.TaskGroup() as group:
                group.create_task(service.run())
                web = group.create_task(server.serve(sockets=[listening]))
                try:
                    yield Installation(service, session, url=base)
                finally:
                    service.stopping.set()
                    server.should_exit = True
                    await web


def bearer(role: str) -> str:
    """A token that the service's own secret vouches for."""
    claims = {"sub": "a-program", "role": role, "exp": datetime.now(UTC) + timedelta(minutes=10)}
    return jwt.encode(claims, SECRET, algorithm="HS256")


async def until(look: Callable[[], Awaitable[T | None]], *, patience: float = PATIENCE_SECONDS) -> T:
    """What `look` finds, as soon as it finds something."""
    async with asyncio.timeout(patience):
        while True:
            if found := await look():
                return found
            await asyncio.sleep(0.05)
