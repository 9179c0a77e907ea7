"""Mirrors crawl state in Redis, under the keys that tools of other crawlers know.

| Key | Type | Says |
|---|---|---|
| `crawler:{job}:request:{id}` | text `1` | this page of the job was visited; the id is the sha256 of its URL |
| `crawler:{job}:queue` | list | the first URLs that the job still has to fetch |
| `crawler:hash:{source}:{url_hash}` | text | sha256 of a start page's content |
| `crawler:adaptive:{source}` | hash | `last_hash`, `last_change_at`, `unchanged_count`, `current_interval` |

Jobs and sources go by their public ids. Every key expires. Cookies are not mirrored: they are secrets.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, assert_never

from redis.asyncio import Redis
from redis.exceptions import RedisError

from lamplighter import telemetry
from lamplighter.errors import BadSetting
from lamplighter.model.mirror import MirrorEntry, MirrorPace, MirrorVisit, PendingPages, StartPage
from lamplighter.ports import Clock
from lamplighter.rules.fleet.circuit import Circuit

log = telemetry.logger("mirror")
#: timeout of a command
_PATIENCE_SECONDS = 5.0
#: cool-down of a server that did not respond
_COOLDOWN_SECONDS = 5.0
#: a key that no program uses
_TRIAL = "crawler:trial"
#: entries sent at once
_AT_ONCE = 1_000


class RedisMirror:
    """A client of one Redis; an error is logged once and never affects the crawl."""

    def __init__(self, url: str, *, expires: timedelta, clock: Clock) -> None:
        try:
            self._redis: Any = Redis.from_url(
                url, socket_timeout=_PATIENCE_SECONDS, socket_connect_timeout=_PATIENCE_SECONDS, retry=None
            )
        except ValueError:
            # The error of the library may contain the password.
            raise BadSetting("LAMPLIGHTER_EVENTS_URL is not the URL of a Redis; use redis://host:6379/0") from None
        self.expires_seconds = round(expires.total_seconds())
        self._clock = clock
        self._circuit = Circuit(cooldown=_COOLDOWN_SECONDS)

    @property
    def is_away(self) -> bool:
        """Whether the server did not respond to the last command."""
        return self._circuit.is_open

    async def is_there(self) -> bool:
        """Whether the server responds, as far as is known; after a cool-down it is tried."""
        if not self._circuit.is_open:
            return True
        return self._circuit.may_ask(self._clock.monotonic()) and await self._send([])

    async def answers(self) -> bool:
        """Asks the server, unless it did not respond a moment ago."""
        return self._circuit.may_ask(self._clock.monotonic()) and await self._send([])

    async def show(self, entries: Sequence[MirrorEntry]) -> bool:
        """Writes entries in as few round trips as possible; stops at the first failure."""
        for at in range(0, len(entries), _AT_ONCE):
            if not await self._send(entries[at : at + _AT_ONCE]):
                return False
        return True

    async def close(self) -> None:
        """Closes the connections."""
        await self._redis.aclose()

    async def _send(self, entries: Sequence[MirrorEntry]) -> bool:
        """Sends one batch; an empty one checks whether the server responds."""
        try:
            # A transaction, so that no reader sees a queue between its old and its new state.
            async with self._redis.pipeline(transaction=True) as pipe:
                # Writes nothing, and fails as long as any write would: a read-only server is of no use to us.
                pipe.set(_TRIAL, "", ex=1, xx=True)
                for entry in entries:
                    self._put(pipe, entry)
                await pipe.execute()
        except (RedisError, OSError, TimeoutError) as error:
            if self._circuit.failed(self._clock.monotonic()):
                log.warning("mirror.lost", error=type(error).__name__)
            return False
        except BaseException:
            self._circuit.given_up()
            raise
        if self._circuit.answered():
            log.info("mirror.back")
        return True

    def _put(self, pipe: Any, entry: MirrorEntry) -> None:
        match entry:
            case MirrorVisit():
                pipe.set(f"crawler:{entry.job}:request:{entry.url_key}", "1", ex=self.expires_seconds)
            case PendingPages():
                key = f"crawler:{entry.job}:queue"
                pipe.delete(key)
                if entry.urls:
                    pipe.rpush(key, *entry.urls)
                    pipe.expire(key, self.expires_seconds)
            case StartPage():
                pipe.set(f"crawler:hash:{entry.source}:{entry.url_key}", entry.content_hash, ex=self.expires_seconds)
            case MirrorPace():
                key = f"crawler:adaptive:{entry.source}"
                pipe.hset(key, mapping=_fields(entry))
                pipe.expire(key, self.expires_seconds)
            case _:
                assert_never(entry)


def _fields(pace: MirrorPace) -> dict[str, str]:
    return {
        "last_hash": pace.last_hash or "",
        "last_change_at": pace.last_change_at.isoformat() if pace.last_change_at else "",
        "unchanged_count": str(pace.unchanged_count),
        "current_interval": f"{round(pace.interval.total_seconds())}s",
    }
