"""Events through a Redis stream: a consumer group shares it, and other programs may publish to it and listen.

An entry has one field, `event`, with the envelope. It is in the group's list of pending entries from when a consumer
receives it until it is acknowledged; an abandoned entry is claimed by another consumer. An entry that cannot be
processed moves to a second stream together with its acknowledgement, so that neither a crash nor an acknowledgement can
lose it.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import timedelta
from typing import Any, TypeVar

from redis.asyncio import Redis
from redis.exceptions import ResponseError

from lamplighter import telemetry
from lamplighter.adapters.messaging import redis_entries as entries
from lamplighter.adapters.messaging.redis_connection import RedisConnection
from lamplighter.model.event import DeadLetter, Delivery, Event, EventFigures
from lamplighter.ports import EventStream, StreamAway
from lamplighter.rules.formats import envelope

log = telemetry.logger("events")
T = TypeVar("T")
STREAM = "source-events"
DEAD_LETTERS = "source-events:dead-letter"
GROUP = "crawler-workers"
#: entries read at once, the most of several reads, and how long to wait for the first
_COUNT = 10
_MOST = 100
_BLOCK = timedelta(seconds=5)
#: entries kept, about; far more than ever wait, since trimmed ones have to be published again
LONGEST = 100_000
_MOST_DEAD = 100_000
#: after this long without activity, a consumer with nothing pending is removed
GONE_AFTER = timedelta(minutes=10)
_BEGINNING = b"0-0"
#: Redis's errors when the group does not (or, to a waiting client, no longer) exist
_NO_GROUP = ("NOGROUP", "UNBLOCKED", "no such key")
#: one step, so that a consumer which comes back in the same moment loses nothing
_FORGET_GONE = """
local gone = 0
for _, said in ipairs(redis.call('XINFO', 'CONSUMERS', KEYS[1], ARGV[1])) do
  local about = {}
  for i = 1, #said, 2 do about[said[i]] = said[i + 1] end
  if about.pending == 0 and about.idle > tonumber(ARGV[2]) then
    redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], about.name)
    gone = gone + 1
  end
end
return gone
"""


class RedisStream(EventStream):
    """The stream, as one consumer sees it."""

    def __init__(
        self,
        server: RedisConnection,
        *,
        instance: str,
        block: timedelta = _BLOCK,
        idle: timedelta = timedelta(seconds=30),
        longest: int = LONGEST,
    ) -> None:
        self._server = server
        self._me = f"crawler-{instance}"
        self._block_ms = _milliseconds(block)
        self._idle_ms = _milliseconds(idle)
        self._longest = longest
        #: where the search for abandoned entries continues
        self._cursor = _BEGINNING

    @property
    def is_away(self) -> bool:
        """Whether Redis did not respond to the last command."""
        return self._server.is_away

    async def publish(self, events: Sequence[Event]) -> Sequence[str]:
        """Adds events in one round trip."""

        async def add(redis: Redis) -> list[Any]:
            async with redis.pipeline(transaction=False) as pipe:
                for event in events:
                    pipe.xadd(STREAM, _entry(envelope.to_json(event)), maxlen=self._longest, approximate=True)
                return await pipe.execute()

        return [entries.text(position) for position in await self._ask(add)]

    async def receive(self) -> Sequence[Delivery]:
        """New entries, waited for a while; while there are many, several reads are returned together."""
        found = await self._read(block=self._block_ms)
        while len(found) % _COUNT == 0 and 0 < len(found) < _MOST:
            more = await self._read(block=None)
            if not more:
                break
            found += more
        return found

    async def _read(self, *, block: int | None) -> list[Delivery]:
        found: Any = await self._in_group(
            lambda redis: redis.xreadgroup(GROUP, self._me, {STREAM: ">"}, count=_COUNT, block=block),
            waits=(block or 0) / 1000,
        )
        return [entries.delivery(*entry, tries=1) for _, some in found or () for entry in some]

    async def take_over(self) -> Sequence[Delivery]:
        """Claims entries received long ago and not acknowledged; one that was trimmed meanwhile is dropped."""

        async def claim(redis: Redis) -> Any:
            return await redis.xautoclaim(STREAM, GROUP, self._me, self._idle_ms, self._cursor, count=_COUNT)

        while True:
            # Redis 7 returns trimmed ones as a third part; 6.2 has them among the others, without their fields.
            self._cursor, found, *_ = await self._in_group(claim)
            if found or self._cursor == _BEGINNING:
                break
        await self._acknowledge(position for position, fields in found if fields is None)
        kept = [(position, fields) for position, fields in found if fields is not None]
        tries = await self._tries([position for position, _ in kept])
        return [entries.delivery(position, fields, tries=tries.get(position, 1)) for position, fields in kept]

    async def acknowledge(self, settled: Sequence[Delivery]) -> None:
        """Removes them from the list of pending entries."""
        await self._acknowledge(each.position for each in settled)

    async def hand_back(self, unsettled: Sequence[Delivery]) -> None:
        """Leaves them pending, without counting this try."""

        async def uncount(redis: Redis) -> None:
            async with redis.pipeline(transaction=False) as pipe:
                for each in unsettled:
                    pipe.xclaim(STREAM, GROUP, self._me, 0, [each.position], retrycount=each.tries - 1, justid=True)
                await pipe.execute()

        await self._ask(uncount)

    async def bury(self, delivery: Delivery, *, reason: str) -> None:
        """Moves an entry to the dead letters and acknowledges it in one step."""

        async def move(redis: Redis) -> None:
            found: Any = await redis.xrange(STREAM, delivery.position, delivery.position, count=1)
            letter: Any = entries.letter_fields(delivery, found[0][1] if found else None, reason=reason)
            async with redis.pipeline(transaction=True) as pipe:
                pipe.xadd(DEAD_LETTERS, letter, maxlen=_MOST_DEAD, approximate=True)
                pipe.xack(STREAM, GROUP, delivery.position)
                await pipe.execute()

        await self._ask(move)

    async def dead_letters(self, *, limit: int, offset: int) -> tuple[Sequence[DeadLetter], int]:
        """The dead letters, the latest first."""

        async def read(redis: Redis) -> tuple[Any, int]:
            return await redis.xrevrange(DEAD_LETTERS, count=offset + limit), await redis.xlen(DEAD_LETTERS)

        found, total = await self._ask(read)
        return [entries.letter(*entry) for entry in found[offset:]], total

    async def dead_letter(self, letter_id: str) -> DeadLetter | None:
        """One of the dead letters."""
        try:
            found: Any = await self._ask(lambda redis: redis.xrange(DEAD_LETTERS, letter_id, letter_id, count=1))
        except ResponseError:  # not a position that a stream could have
            return None
        return entries.letter(*found[0]) if found else None

    async def retry(self, letter: DeadLetter) -> None:
        """Moves a dead letter back to the stream in one step."""

        async def move(redis: Redis) -> None:
            async with redis.pipeline(transaction=True) as pipe:
                pipe.xadd(STREAM, _entry(letter.text.encode()), maxlen=self._longest, approximate=True)
                pipe.xdel(DEAD_LETTERS, letter.id)
                await pipe.execute()

        await self._ask(move)

    async def discard(self, letter: DeadLetter) -> None:
        """Deletes a dead letter."""
        await self._ask(lambda redis: redis.xdel(DEAD_LETTERS, letter.id))

    async def still_carried(self, positions: Sequence[str]) -> set[str]:
        """The positions that are in the stream and either not yet received or still pending."""

        async def look(redis: Redis) -> tuple[str, list[Any]]:
            last = entries.text((await _group(redis))["last-delivered-id"])
            async with redis.pipeline(transaction=False) as pipe:
                for position in positions:
                    pipe.xrange(STREAM, position, position, count=1)
                    pipe.xpending_range(STREAM, GROUP, position, position, 1)
                return last, await pipe.execute()

        last, answers = await self._in_group(look)
        return {
            position
            for position, is_there, is_pending in zip(positions, answers[::2], answers[1::2], strict=True)
            if is_there and (is_pending or entries.order(position) > entries.order(last))
        }

    async def figures(self) -> EventFigures:
        """Redis's counts; unknown while it is unavailable."""

        async def read(redis: Redis) -> tuple[int, int, int]:
            group = await _group(redis)
            lag = group.get("lag")
            if lag is None:  # Redis 6.2 does not count it, and later ones do not after entries were deleted
                last = entries.text(group["last-delivered-id"])
                behind: Any = await redis.xrange(STREAM, min=f"({last}", count=self._longest)
                lag = len(behind)
            return lag, group["pending"], await redis.xlen(DEAD_LETTERS)

        try:
            lag, pending, dead = await self._in_group(read)
        except StreamAway:
            return EventFigures(engine="redis", circuit="open", lag=None, pending=None, dead_letters=None)
        return EventFigures(engine="redis", circuit="closed", lag=lag, pending=pending, dead_letters=dead)

    async def sweep(self) -> None:
        """Removes consumers that are gone."""

        async def forget(redis: Redis) -> Any:
            return await redis.eval(_FORGET_GONE, 1, STREAM, GROUP, str(_milliseconds(GONE_AFTER)))

        if gone := await self._in_group(forget):
            log.info("events.receivers_forgotten", count=gone)

    async def close(self) -> None:
        """Leaves the group, unless entries of ours are pending, which another consumer will claim."""

        async def leave(redis: Redis) -> None:
            # This consumer receives nothing any more, so its pending entries can only become fewer.
            if not await redis.xpending_range(STREAM, GROUP, "-", "+", 1, consumername=self._me):
                await redis.xgroup_delconsumer(STREAM, GROUP, self._me)

        try:
            await self._ask(leave)
        except (StreamAway, ResponseError) as error:
            log.debug("events.left_without_a_word", error=type(error).__name__)
        await self._server.close()

    async def _acknowledge(self, positions: Iterable[str | bytes]) -> None:
        if wanted := list(positions):
            await self._ask(lambda redis: redis.xack(STREAM, GROUP, *wanted))

    async def _tries(self, positions: Sequence[bytes]) -> dict[bytes, int]:
        """How often each entry was delivered."""

        async def read(redis: Redis) -> Any:
            async with redis.pipeline(transaction=False) as pipe:
                for position in positions:
                    pipe.xpending_range(STREAM, GROUP, position, position, 1)
                return await pipe.execute()

        found = await self._ask(read) if positions else []
        return {row["message_id"]: row["times_delivered"] for rows in found for row in rows}

    async def _ask(self, work: Callable[[Redis], Awaitable[T]], *, waits: float = 0.0) -> T:
        """Sends a command; after an outage first checks that Redis accepts writes, so that it does not come and go."""
        return await self._server.ask(work, trial=_make_group, waits=waits)

    async def _in_group(self, work: Callable[[Redis], Awaitable[T]], *, waits: float = 0.0) -> T:
        """Sends a command that needs the group; creates the group from the stream's beginning if Redis was emptied."""
        while True:
            try:
                return await self._ask(work, waits=waits)
            except ResponseError as error:
                if not str(error).startswith(_NO_GROUP):
                    raise
            await self._ask(_make_group)


async def _make_group(redis: Redis) -> None:
    try:
        await redis.xgroup_create(STREAM, GROUP, "0", mkstream=True)
        log.info("events.group_made", stream=STREAM, group=GROUP)
    except ResponseError as error:
        if not str(error).startswith("BUSYGROUP"):
            raise


async def _group(redis: Redis) -> dict[str, Any]:
    """Redis's information about our group."""
    for group in await redis.xinfo_groups(STREAM):
        if group["name"] == GROUP.encode():
            return dict(group)
    raise ResponseError("NOGROUP")


def _entry(said: bytes) -> dict[Any, Any]:
    return {entries.FIELD: said}


def _milliseconds(span: timedelta) -> int:
    return int(span / timedelta(milliseconds=1))
