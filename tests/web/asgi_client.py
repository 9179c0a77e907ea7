"""Asks the web application without a network."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urlsplit

from fastapi import FastAPI

from lamplighter.app import Service
from lamplighter.app.web_view import view_of
from lamplighter.web.server import make_app


@dataclass(frozen=True)
class Reply:
    """What the application answered."""

    status: int
    headers: dict[str, str]
    text: str
    #: every Set-Cookie line; `headers` has the last one
    cookies: Sequence[str] = ()

    @property
    def json(self) -> Any:
        """The answer as JSON."""
        return json.loads(self.text)


class Ask:
    """A client of the application: `await ask("/path")`, `await ask("/path", method="POST", json={...})`."""

    def __init__(self, app: FastAPI, **headers: str) -> None:
        self.app = app
        self.headers = headers

    def with_headers(self, **headers: str) -> "Ask":
        """The same client, saying more with every request."""
        return Ask(self.app, **self.headers, **headers)

    async def __call__(
        self,
        path: str,
        *,
        method: str = "GET",
        host: str = "127.0.0.1:8060",
        query: Mapping[str, Any] | None = None,
        json: Any = None,
        body: bytes = b"",
        client: str = "127.0.0.1",
        http_version: str = "1.1",
        **headers: str,
    ) -> Reply:
        """One request."""
        if json is not None:
            body, headers = _encoded(json), {"content_type": "application/json", **headers}
        split = urlsplit(path)
        given = {"host": host, "content_length": str(len(body)), **self.headers, **headers}
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": http_version,
            "method": method,
            "scheme": "http",
            "path": split.path,
            "raw_path": split.path.encode(),
            "query_string": urlencode(query, doseq=True).encode() if query else split.query.encode(),
            "root_path": "",
            "headers": [(name.replace("_", "-").lower().encode(), value.encode()) for name, value in given.items()],
            "server": ("127.0.0.1", 8060),
            "client": (client, 50000),
        }
        waiting = [{"type": "http.request", "body": body, "more_body": False}]
        sent: list[dict[str, Any]] = []

        complete = asyncio.Event()

        async def receive() -> dict[str, Any]:
            if waiting:
                return waiting.pop(0)
            # Nobody hangs up before the answer is complete: it may come in parts.
            await complete.wait()
            return {"type": "http.disconnect"}

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)
            if message["type"] == "http.response.body" and not message.get("more_body", False):
                complete.set()

        await self.app(scope, receive, send)
        start, *rest = sent
        return Reply(
            status=start["status"],
            headers={name.decode(): value.decode() for name, value in start["headers"]},
            text=b"".join(message.get("body", b"") for message in rest).decode(errors="replace"),
            cookies=[value.decode() for name, value in start["headers"] if name == b"set-cookie"],
        )

    async def get(self, path: str, **query: Any) -> Reply:
        """Looks at something."""
        return await self(path, query=query)

    async def post(self, path: str, json: Any = None, **headers: str) -> Reply:
        """Has something done."""
        return await self(path, method="POST", json=json, **headers)

    async def put(self, path: str, json: Any = None) -> Reply:
        """Replaces something."""
        return await self(path, method="PUT", json=json)

    async def patch(self, path: str, json: Any = None) -> Reply:
        """Changes something in part."""
        return await self(path, method="PATCH", json=json)

    async def delete(self, path: str, **query: Any) -> Reply:
        """Removes something."""
        return await self(path, method="DELETE", query=query)


def ask_of(service: Service) -> Ask:
    """A client of the application of this service, on the same machine and without a name."""
    return Ask(make_app(view_of(service)))


def _encoded(value: Any) -> bytes:
    return json.dumps(value).encode()
