"""A stream goes on no longer than the proof under which it was begun."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from fastapi import FastAPI

from lamplighter.app import Service
from lamplighter.model.access import Stamp
from lamplighter.operations.access import api_tokens, users
from lamplighter.settings import Settings
from lamplighter.store.engine.database import Write
from lamplighter.web.api import event_stream
from tests.web.access.clients import Visitor
from tests.web.access.conftest import AddUser, MakeToken
from tests.web.api.event_streams import Stream, streamed
from tests.web.api.given_sources import watched
from tests.web.asgi_client import Ask

LIVE = ["/sse/crawler/events", "/sse/health/events", "/sse/metrics/events"]
PATIENCE_SECONDS = 60


@pytest.fixture(autouse=True)
def short_heartbeats(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for a quarter of a minute here."""
    monkeypatch.setattr(event_stream.Heartbeat.__init__, "__kwdefaults__", {"every": 0.2})
    monkeypatch.setattr(event_stream, "HEARTBEAT_SECONDS", 1.0)


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """Takes its figures often."""
    return settings.model_copy(update={"metrics_seconds": 0.3})


async def _until_its_end(stream: Stream) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        await stream.all()


@pytest.mark.parametrize("path", LIVE)
async def test_a_stream_ends_when_its_token_is_revoked(
    web: FastAPI, service: Service, make_token: MakeToken, path: str
) -> None:
    new, now = await make_token(), service.clock.now()

    async with streamed(web, path, authorization=f"Bearer {new.text}") as stream:
        first = await stream.next()
        await service.db.write(lambda db: api_tokens.revoke(db, new.token.public_id, stamp=Stamp("test", now)))
        await _until_its_end(stream)

    assert first is not None


@pytest.mark.parametrize("version", ["stream", "stream/v2"])
async def test_a_log_that_is_followed_ends_when_its_token_is_revoked(
    web: FastAPI, ask: Ask, service: Service, make_token: MakeToken, version: str
) -> None:
    new, now = await make_token(), service.clock.now()
    program = ask.with_headers(authorization=f"Bearer {new.text}")
    source = await watched(service, program)
    await program.post(f"{source.path}/force-run")

    path = f"{source.path}/logs/{version}"
    async with streamed(web, path, "follow=true", authorization=f"Bearer {new.text}") as stream:
        first = await stream.next()
        await service.db.write(lambda db: api_tokens.revoke(db, new.token.public_id, stamp=Stamp("test", now)))
        await _until_its_end(stream)

    assert first is not None


def _disabled(service: Service) -> Write[object]:
    return lambda db: users.change(db, "anna", enabled=False, stamp=Stamp("test", service.clock.now()))


def _logged_out(service: Service) -> Write[object]:
    return lambda db: users.log_out_everywhere(db, "anna", stamp=Stamp("test", service.clock.now()))


@pytest.mark.parametrize("ended", [_disabled, _logged_out])
async def test_a_stream_ends_with_the_session_of_its_user(
    web: FastAPI, visitor: Visitor, add_user: AddUser, service: Service, ended: Callable[..., Any]
) -> None:
    await add_user("anna")
    await visitor.log_in("anna")
    cookie = f"lamplighter_session={visitor.cookies['lamplighter_session']}"

    async with streamed(web, LIVE[0], cookie=cookie) as stream:
        first = await stream.next()
        await service.db.write(ended(service))
        await _until_its_end(stream)

    assert first is not None


async def test_a_stream_whose_proof_holds_goes_on(web: FastAPI, make_token: MakeToken) -> None:
    new = await make_token()

    async with streamed(web, LIVE[0], authorization=f"Bearer {new.text}") as stream:
        seen = [await stream.next() for _ in range(4)]

    assert [each.event for each in seen if each is not None] == ["heartbeat"] * 4


async def test_j10_one_caller_cannot_take_all_streams(web: FastAPI, ask: Ask, make_token: MakeToken) -> None:
    web.state.streams = event_stream.Streams(most_of_one=1)
    first, second = [{"authorization": f"Bearer {(await make_token(name)).text}"} for name in ("first", "second")]

    async with streamed(web, LIVE[0], **first) as open_one:
        await open_one.begun.wait()
        refused = await ask.with_headers(**first).get(LIVE[0])
        async with streamed(web, LIVE[0], **second) as of_another:
            await of_another.begun.wait()
    async with streamed(web, LIVE[0], **first) as again:
        await again.begun.wait()

    assert (refused.status, refused.headers["retry-after"]) == (429, "15")
    assert "1 streams of yours are open" in refused.json["detail"]
    assert (of_another.status, again.status) == (200, 200)
