"""Events through a Redis stream: a group of receivers shares it, others may publish to it and listen.

An entry has one field, `event`, with the envelope. It stands in the group's list of pending entries from when somebody
receives it until it is acknowledged; one that was left lying is taken over by another. What cannot be settled moves to
a second stream together with its acknowledgement, so that neither a crash nor an acknowledgement can lose it.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import timedelta
from typing import Any, TypeVar

from redis.asyncio import Redis
from redis.exceptions import ResponseError

from lamplighter import telemetry
from lamplighter.adapters import redis_entries as entries
from lamplighter.adapters.redis_connection import RedisConnection
from lamplighter.model.event import DeadLetter, Delivery, Event, EventFigures
from lamplighter.ports import EventStream, StreamAway
from lamplighter.rules import envelope

log = telemetry.logger("events")
T = TypeVar("T")
STREAM = "source-events"
DEAD_LETTERS = "source-events:dead-letter"
GROUP = "crawler-workers"
#: entries read at once, the most of several reads, and for how long is waited for the first
_COUNT = 10
_MOST = 100
_BLOCK = timedelta(seconds=5)
#: entries kept, about; far more than ever wait, since what is trimmed away has to be published again
LONGEST = 100_000
_MOST_DEAD = 100_000
#: after this long without a sign of life, a receiver with nothing left to settle is forgotten
_GONE_AFTER = timedelta(minutes=10)
_BEGINNING = b"0-0"
#: what Redis says when the group is not (or, to one who waits, no longer) there
_NO_GROUP = ("NOGROUP", "UNBLOCKED", "no such key")
#: one step, so that a receiver which comes back in the very moment loses nothing
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
    """The stream, as one receiver sees it."""

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
        #: where the search for entries left lying goes on
        self._cursor = _BEGINNING

    @property
    def is_away(self) -> bool:
        """Whether Redis did not answer when it was last asked."""
        return self._server.is_away

    async def publish(self, events: Sequence[Event]) -> Sequence[str]:
        """Adds them in one round trip."""

        async def add(redis: Redis) -> list[Any]:
            async with redis.pipeline(transaction=False) as pipe:
                for event in events:
                    pipe.xadd(STREAM, _entry(envelope.to_json(event)), maxlen=self._longest, approximate=True)
                return await pipe.execute()

        return [entries.text(position) for position in await self._ask(add)]

    async def receive(self) -> Sequence[Delivery]:
        """New entries, waited for a while; while there are many, several reads of them, to be settled together."""
        found = await self._read(block=self._block_ms)
        while len(found) % _COUNT == 0 and 0 < len(found) < _MOST:
            more = await self._read(block=None)
            if not more:
                break
            found += more
        return found

    async def _read(self, *, block: int | None) -> list[Delivery]:
        async def read(redis: Redis) -> Any:
            return await redis.xreadgroup(GROUP, self._me, {STREAM: ">"}, count=_COUNT, block=block)

        found = await self._in_group(read, waits=(block or 0) / 1000)
        return [entries.delivery(*entry, tries=1) for _, some in found or () for entry in some]

    async def take_over(self) -> Sequence[Delivery]:
        """Entries that were received and then left alone for long; one that was trimmed away meanwhile is let go."""

        async def claim(redis: Redis) -> Any:
            return await redis.xautoclaim(STREAM, GROUP, self._me, self._idle_ms, self._cursor, count=_COUNT)

        while True:
            # Redis 7 adds a third part, those trimmed away; 6.2 has them among the others, without their fields.
            self._cursor, found, *_ = await self._in_group(claim)
            if found or self._cursor == _BEGINNING:
                break
        await self._acknowledge(position for position, fields in found if fields is None)
        kept = [(position, fields) for position, fields in found if fields is not None]
        tries = await self._tries([position for position, _ in kept])
        return [entries.delivery(position, fields, tries=tries.get(position, 1)) for position, fields in kept]

    async def acknowledge(self, settled: Sequence[Delivery]) -> None:
        """Takes them off the list of pending entries."""
        await self._acknowledge(each.position for each in settled)

    async def hand_back(self, unsettled: Sequence[Delivery]) -> None:
        """Leaves them pending, with this try not counted."""

        async def uncount(redis: Redis) -> None:
            async with redis.pipeline(transaction=False) as pipe:
                for each in unsettled:
                    pipe.xclaim(STREAM, GROUP, self._me, 0, [each.position], retrycount=each.tries - 1, justid=True)
                await pipe.execute()

        await self._ask(uncount)

    async def bury(self, delivery: Delivery, *, reason: str) -> None:
        """Moves an entry to the dead letters: there and off the list in one step."""

        async def move(redis: Redis) -> None:
            found: Any = await redis.xrange(STREAM, delivery.position, delivery.position, count=1)
            letter: Any = entries.letter_fields(delivery, found[0][1] if found else None, reason=reason)
            async with redis.pipeline(transaction=True) as pipe:
                pipe.xadd(DEAD_LETTERS, letter, maxlen=_MOST_DEAD, approximate=True)
                pipe.xack(STREAM, GROUP, delivery.position)
                await pipe.execute()

        await self._ask(move)

    async def dead_letters(self, *, limit: int, offset: int) -> tuple[Sequence[DeadLetter], int]:
        """The latest first."""

        async def read(redis: Redis) -> tuple[Any, int]:
            return await redis.xrevrange(DEAD_LETTERS, count=offset + limit), await redis.xlen(DEAD_LETTERS)

        found, total = await self._ask(read)
        return [entries.letter(*entry) for entry in found[offset:]], total

    async def dead_letter(self, letter_id: str) -> DeadLetter | None:
        """One of them."""

        async def read(redis: Redis) -> Any:
            return await redis.xrange(DEAD_LETTERS, letter_id, letter_id, count=1)

        try:
            found = await self._ask(read)
        except ResponseError:  # not a position that a stream could have
            return None
        return entries.letter(*found[0]) if found else None

    async def retry(self, letter: DeadLetter) -> None:
        """Puts it back into the stream: there and off the dead letters in one step."""

        async def move(redis: Redis) -> None:
            async with redis.pipeline(transaction=True) as pipe:
                pipe.xadd(STREAM, _entry(letter.text.encode()), maxlen=self._longest, approximate=True)
                pipe.xdel(DEAD_LETTERS, letter.id)
                await pipe.execute()

        await self._ask(move)

    async def discard(self, letter: DeadLetter) -> None:
        """Takes it off the dead letters."""

        async def remove(redis: Redis) -> None:
            await redis.xdel(DEAD_LETTERS, letter.id)

        await self._ask(remove)

    async def still_carried(self, positions: Sequence[str]) -> set[str]:
        """Those that are there and either nobody has received yet or somebody has still to settle."""

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
        """Counts kept by Redis; unknown while it is away."""

        async def read(redis: Redis) -> tuple[int, int, int]:
            group = await _group(redis)
            lag = group.get("lag")
            if lag is None:  # Redis 6.2 does not count it, and later ones not after entries were deleted
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
        """Forgets receivers that are gone."""

        async def forget(redis: Redis) -> Any:
            return await redis.eval(_FORGET_GONE, 1, STREAM, GROUP, str(_milliseconds(_GONE_AFTER)))

        if gone := await self._in_group(forget):
            log.info("events.receivers_forgotten", count=gone)

    async def close(self) -> None:
        """Leaves the group, unless something of ours is still pending, which another will take over."""

        async def leave(redis: Redis) -> None:
            # Nobody receives in our name any more, so what is pending can only become less.
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
        """How often each was handed out."""

        async def read(redis: Redis) -> Any:
            async with redis.pipeline(transaction=False) as pipe:
                for position in positions:
                    pipe.xpending_range(STREAM, GROUP, position, position, 1)
                return await pipe.execute()

        found = await self._ask(read) if positions else []
        return {row["message_id"]: row["times_delivered"] for rows in found for row in rows}

    async def _ask(self, work: Callable[[Redis], Awaitable[T]], *, waits: float = 0.0) -> T:
        """Asks; after Redis was away, whether it writes again: one that only reads would be back and away in turns."""
        return await self._server.ask(work, trial=_make_group, waits=waits)

    async def _in_group(self, work: Callable[[Redis], Awaitable[T]], *, waits: float = 0.0) -> T:
        """Asks what needs the group; makes it, from the stream's beginning, where somebody has emptied Redis."""
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
    """What Redis knows of our group."""
    for group in await redis.xinfo_groups(STREAM):
        if group["name"] == GROUP.encode():
            return dict(group)
    raise ResponseError("NOGROUP")


def _entry(said: bytes) -> dict[Any, Any]:
    return {entries.FIELD: said}


def _milliseconds(span: timedelta) -> int:
    return int(span / timedelta(milliseconds=1))
