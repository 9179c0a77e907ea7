"""A connection to one Redis server, with a timeout and a circuit breaker."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from typing import TypeVar
from urllib.parse import urlsplit

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ClusterDownError, OutOfMemoryError, ReadOnlyError, ResponseError
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError

from lamplighter import telemetry
from lamplighter.errors import BadSetting
from lamplighter.ports import Clock, StreamAway
from lamplighter.rules.fleet.circuit import Circuit

log = telemetry.logger("redis")
T = TypeVar("T")
#: timeout of a command
PATIENCE_SECONDS = 5.0
#: cool-down between a failure and the next try
COOLDOWN_SECONDS = 5.0
#: a server that is full, a replica, or cut off from its primary counts as unavailable: all of that passes
_AWAY = (
    *(RedisConnectionError, RedisTimeoutError, OSError, TimeoutError),
    *(OutOfMemoryError, ReadOnlyError, ClusterDownError),
)
#: the same, where the library has no class for it: it cannot save, lacks replicas, is busy with a script
_REFUSES = re.compile(r"(?:^|caused error: \W*)(?:MISCONF|NOREPLICAS|BUSY) ")


class RedisConnection:
    """Sends commands. Logs once that the server is unavailable, and once that it is back."""

    def __init__(
        self,
        url: str,
        *,
        setting: str,
        clock: Clock,
        patience: float = PATIENCE_SECONDS,
        cooldown: float = COOLDOWN_SECONDS,
    ) -> None:
        try:
            # Retries are ours to decide: by the circuit, not within a command.
            self._redis: Redis = Redis.from_url(
                url,
                protocol=2,
                retry=Retry(NoBackoff(), 0),
                socket_connect_timeout=patience,
                socket_timeout=None,
                health_check_interval=30,
            )
        except ValueError:
            raise BadSetting(f"{setting} is not the URL of a Redis server; use redis://host:6379/0") from None
        self.server = masked(url)
        self._clock = clock
        self._patience = patience
        self._circuit = Circuit(cooldown=cooldown)

    @property
    def is_away(self) -> bool:
        """Whether the last command had no response."""
        return self._circuit.is_open

    async def ask(
        self,
        work: Callable[["Redis"], Awaitable[T]],
        *,
        trial: Callable[["Redis"], Awaitable[object]],
        waits: float = 0,
    ) -> T:
        """The server's response; `waits` are seconds that it may take beyond the usual timeout. Raises StreamAway.

        After it was unavailable `trial` comes first: a command that fails as long as any of ours would.
        """
        if not self._circuit.may_ask(self._clock.monotonic()):
            raise StreamAway(f"{self.server} does not answer")
        try:
            if self._circuit.is_open:
                await self._within(self._patience, trial)
                self._answered()
            answer = await self._within(self._patience + waits, work)
        except Exception as error:
            if not _is_away(error):
                self._circuit.given_up()
                raise
            if self._circuit.failed(self._clock.monotonic()):
                log.warning("redis.away", server=self.server, error=f"{type(error).__name__}: {error}")
            raise StreamAway(f"{self.server} does not answer ({type(error).__name__})") from None
        except BaseException:
            self._circuit.given_up()
            raise
        self._answered()
        return answer

    async def close(self) -> None:
        """Closes the connection."""
        await self._redis.aclose()

    async def _within(self, seconds: float, work: Callable[["Redis"], Awaitable[T]]) -> T:
        async with asyncio.timeout(seconds):
            return await work(self._redis)

    def _answered(self) -> None:
        if self._circuit.answered():
            log.info("redis.back", server=self.server)


def _is_away(error: Exception) -> bool:
    """Whether the error is about the server, not about the command."""
    return isinstance(error, _AWAY) or (isinstance(error, ResponseError) and _REFUSES.search(str(error)) is not None)


def masked(url: str) -> str:
    """A URL that may be shown: without user name and password."""
    parts = urlsplit(url)
    _, at, where = parts.netloc.rpartition("@")
    return parts._replace(netloc=("***@" if at else "") + where, query="").geturl()
