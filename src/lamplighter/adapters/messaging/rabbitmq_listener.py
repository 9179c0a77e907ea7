"""Consumes one RabbitMQ queue, and sets aside messages that cannot be processed."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from aio_pika.abc import AbstractChannel, AbstractConnection, AbstractIncomingMessage

from lamplighter import telemetry
from lamplighter.ports import Hear
from lamplighter.rules.formats.queue_message import BadMessage

log = telemetry.logger("queue")
#: how often to check that we are still a consumer
WATCH_SECONDS = 30.0
#: stores a message among the dead letters: body, queue, reason
Bury = Callable[[bytes, str, str], Awaitable[None]]


class Listener:
    """One process's consumer of one queue."""

    def __init__(self, queue: str, read: Callable[[bytes], list[int]], *, hear: Hear, bury: Bury, in_hand: int) -> None:
        self._name = queue
        self._read = read
        self._hear = hear
        self._bury = bury
        self._in_hand = in_hand
        #: delivered, not yet processed; None when there will be no more
        self._inbox: asyncio.Queue[AbstractIncomingMessage | None] = asyncio.Queue()

    async def run(self, connection: AbstractConnection, *, stopping: asyncio.Event) -> None:
        """Consumes until the connection breaks, or until stopping; messages left then go to other processes."""
        channel = await connection.channel(publisher_confirms=False)
        await channel.set_qos(prefetch_count=self._in_hand)
        queue = await channel.get_queue(self._name, ensure=False)
        removed = asyncio.Event()

        async def note_removed(_: object) -> None:
            removed.set()

        (await channel.get_underlay_channel()).on_consumer_cancel_callbacks.add(note_removed)
        tag = await queue.consume(self._inbox.put)
        async with asyncio.TaskGroup() as group:
            group.create_task(self._hear_all(stopping))
            watching = group.create_task(self._watch(channel, removed))
            await stopping.wait()
            watching.cancel()
            await queue.cancel(tag)
            self._inbox.put_nowait(None)

    async def _watch(self, channel: AbstractChannel, removed: asyncio.Event) -> None:
        """Notices when the queue was deleted: the connection does not break when our consumer is removed with it.

        The server tells each consumer, also when the queue is declared again; where it does not, we check.
        """
        while not removed.is_set():
            with suppress(TimeoutError):
                async with asyncio.timeout(WATCH_SECONDS):
                    await removed.wait()
            found = (await channel.declare_queue(self._name, passive=True)).declaration_result
            if not found.consumer_count:
                break
        raise ConnectionError(f"we are no longer a consumer of {self._name}")

    async def _hear_all(self, stopping: asyncio.Event) -> None:
        while (first := await self._inbox.get()) is not None:
            if stopping.is_set():
                await first.reject(requeue=True)
                continue
            batch = [first]
            while not self._inbox.empty() and (message := self._inbox.get_nowait()) is not None:
                batch.append(message)
            await self._hear_batch(batch)

    async def _hear_batch(self, batch: list[AbstractIncomingMessage]) -> None:
        ids: dict[int, None] = {}
        for message in batch:
            try:
                ids |= dict.fromkeys(self._read(message.body))
            except BadMessage as bad:
                # Buried first: should we die in between, it is buried twice rather than lost.
                await self._bury(message.body, self._name, str(bad))
        if ids:
            try:
                await self._hear(list(ids))
            except Exception:
                log.exception("queue.not_heard", queue=self._name, messages=len(batch))
        for message in batch:
            await message.ack()
