"""The web application over an empty store, asked without a network."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from fastapi import FastAPI

from lamplighter.app import Store, open_store
from lamplighter.settings import load
from lamplighter.web.server import ServiceView, make_app


@dataclass(frozen=True)
class Reply:
    """What the application answered."""

    status: int
    headers: dict[str, str]
    text: str


Ask = Callable[..., Awaitable[Reply]]


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    """A migrated database."""
    async with open_store(load({}, data_dir=tmp_path)) as opened:
        yield opened


@pytest.fixture
def view(store: Store, tmp_path: Path) -> ServiceView:
    """A service that does nothing."""
    return ServiceView(
        db=store.db,
        clock=store.clock,
        settings=load({}, data_dir=tmp_path),
        active_hosts=lambda: 0,
        scheduling=lambda: None,
        sources_changed=lambda: None,
    )


@pytest.fixture
def web(view: ServiceView) -> FastAPI:
    """The application."""
    return make_app(view)


@pytest.fixture
def ask(web: FastAPI) -> Ask:
    """Asks the application for a path."""

    async def ask(path: str, *, method: str = "GET", host: str = "127.0.0.1:8060", **headers: str) -> Reply:
        given = {"host": host} | {name.replace("_", "-"): value for name, value in headers.items()}
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "root_path": "",
            "headers": [(name.encode(), value.encode()) for name, value in given.items()],
            "server": ("127.0.0.1", 8060),
        }
        sent: list[dict[str, object]] = []

        async def receive() -> dict[str, object]:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: dict[str, object]) -> None:
            sent.append(message)

        await web(scope, receive, send)
        start, *rest = sent
        return Reply(
            status=start["status"],
            headers={name.decode(): value.decode() for name, value in start["headers"]},
            text=b"".join(message.get("body", b"") for message in rest).decode(),
        )

    return ask
