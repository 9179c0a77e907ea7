"""HTTP client for an operator's own search server: with timeouts, and with a back-off when it does not respond."""

import asyncio
import time
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

import aiohttp
import orjson

from lamplighter import telemetry
from lamplighter.errors import BadSetting
from lamplighter.ports import IndexAway

log = telemetry.logger("index")
#: statuses that are not about the request: wrong key, too many requests, a failing server
_NOT_NOW = frozenset({401, 403, 408, 429, 500, 502, 503, 504, 507})
#: characters of an error that are kept
_LONGEST_REASON = 500


class Address(NamedTuple):
    """The address of a server, and our credentials."""

    #: without credentials and without a trailing slash
    url: str
    user: str | None
    password: str | None


class SearchResponse(NamedTuple):
    """A response of the server."""

    status: int
    body: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchTimeouts:
    """Timeouts in seconds."""

    #: for a search that a person waits for, and for others
    search: float = 5
    write: float = 30
    #: back-off of a server that did not respond: doubled each time, up to a maximum
    cooldown: float = 1
    longest_cooldown: float = 30


class SearchHttp:
    """A session with one server."""

    def __init__(
        self,
        address: Address,
        headers: dict[str, str],
        *,
        engine: str,
        patience: SearchTimeouts | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._url = address.url
        self._headers = _credentials(address) | headers
        self._engine = engine
        self.patience = patience or SearchTimeouts()
        self._monotonic = monotonic
        self._session: aiohttp.ClientSession | None = None
        #: why it counts as unavailable
        self.trouble: str | None = None
        self._cooldown = 0.0
        self._cooling_until = float("-inf")

    async def ask(
        self, method: str, path: str, body: Any = None, *, seconds: float, kind: str = "application/json"
    ) -> SearchResponse:
        """Sends a request; an error about the request is a response, everything else is IndexAway."""
        if self.trouble is not None and self._monotonic() < self._cooling_until:
            raise IndexAway(self.trouble)
        try:
            answer = await self._ask(method, path, body, seconds=seconds, kind=kind)
        except TimeoutError:
            raise self._went_away(f"it did not respond within {seconds:g} s") from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            # The error itself may contain the address with its credentials.
            raise self._went_away(f"it cannot be reached ({type(error).__name__})") from None
        if answer.status in _NOT_NOW:
            raise self._went_away(f"it responds with {answer.status}: {reason_in(answer)}")
        self._came_back()
        return answer

    async def close(self) -> None:
        """Closes the session."""
        if self._session is not None:
            await self._session.close()

    async def _ask(self, method: str, path: str, body: Any, *, seconds: float, kind: str) -> SearchResponse:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                headers=self._headers,
                cookie_jar=aiohttp.DummyCookieJar(),
                trust_env=False,
                json_serialize=lambda value: orjson.dumps(value).decode(),
            )
        data = body if body is None or isinstance(body, bytes) else orjson.dumps(body)
        headers = {"Content-Type": kind} if data is not None else None
        async with (
            asyncio.timeout(seconds),
            self._session.request(method, self._url + path, data=data, headers=headers, allow_redirects=False) as reply,
        ):
            content = await reply.read()
            return SearchResponse(reply.status, orjson.loads(content) if content else None)

    def _went_away(self, reason: str) -> IndexAway:
        if self.trouble is None:
            log.warning("index.away", engine=self._engine, reason=reason)
            self._cooldown = self.patience.cooldown
        else:
            self._cooldown = min(2 * self._cooldown, self.patience.longest_cooldown)
        self.trouble = reason
        self._cooling_until = self._monotonic() + self._cooldown
        return IndexAway(reason)

    def _came_back(self) -> None:
        if self.trouble is not None:
            log.info("index.back", engine=self._engine)
            self.trouble = None


class SearchClient:
    """What the clients of all search servers share: the session, and why the server cannot be used."""

    def __init__(
        self, url: str, authorization: str | None, *, engine: str, index: str, patience: SearchTimeouts | None
    ) -> None:
        address = address_of(url)
        headers = {"Authorization": authorization} if authorization else {}
        self.engine = engine
        self.identity = f"{engine} {address.url} {index}"
        self._http = SearchHttp(address, headers, engine=engine, patience=patience)
        self._unfit: str | None = None

    @property
    def trouble(self) -> str | None:
        """Why it counts as unavailable."""
        return self._http.trouble or self._unfit

    async def close(self) -> None:
        """Closes the session."""
        await self._http.close()

    def _not_fit(self, reason: str) -> IndexAway:
        if self._unfit is None:
            log.warning("index.unfit", engine=self.engine, reason=reason)
        self._unfit = reason
        return IndexAway(reason)

    async def _ask(self, method: str, path: str, body: Any = None, *, kind: str = "application/json") -> SearchResponse:
        return await self._http.ask(method, path, body, seconds=self._http.patience.write, kind=kind)


def address_of(url: str) -> Address:
    """Splits the credentials from an address; `url` begins with http:// or https://."""
    split = urlsplit(url)
    try:
        port = split.port
    except ValueError:
        port = -1
    if not split.hostname or port == -1:
        raise BadSetting("LAMPLIGHTER_INDEX_URL names no server; it looks like meilisearch+http://127.0.0.1:7700")
    name = f"[{split.hostname}]" if ":" in split.hostname else split.hostname
    place = name if port is None else f"{name}:{port}"
    user, password = (None if part is None else unquote(part) for part in (split.username, split.password))
    return Address(f"{split.scheme}://{place}{split.path.rstrip('/')}", user, password)


def _credentials(address: Address) -> dict[str, str]:
    if address.user is None:
        return {}
    said = f"{address.user}:{address.password or ''}".encode()
    return {"Authorization": f"Basic {b64encode(said).decode()}"}


def reason_in(answer: SearchResponse) -> str:
    """The server's error message in one line."""
    body = answer.body if isinstance(answer.body, dict) else {}
    error = body.get("error", body)
    if isinstance(error, dict):
        error = (
            error.get("reason") or error.get("message") or error.get("type") or error.get("code") or "no reason given"
        )
    return " ".join(str(error).split())[:_LONGEST_REASON]
