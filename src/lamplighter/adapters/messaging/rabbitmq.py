"""The queues of several processes on RabbitMQ: processes wake each other.

Messages are collected, sent in the background and confirmed by the server. While the server is unavailable they are
dropped and counted: the database still has the work, and all processes look there too. For the same reason messages
need not outlive a restart of the server, expire after a while, and are never requeued: they would only bounce.
"""

import asyncio
import logging
import random
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from datetime import timedelta

import aio_pika
from aio_pika.abc import AbstractChannel, AbstractConnection, DeliveryMode
from aio_pika.connection import make_url
from aio_pika.exceptions import CONNECTION_EXCEPTIONS, ChannelNotFoundEntity

from lamplighter import telemetry
from lamplighter.adapters.messaging.rabbitmq_listener import Listener
from lamplighter.ports import Depth, Hear
from lamplighter.rules.formats import queue_message
from lamplighter.rules.urls import urls

log = telemetry.logger("queue")
PRIORITY, CRAWL, PARSE, DEAD_LETTERS = "priority_queue", "crawl_queue", "parse_queue", "dead_letter_queue"
_DEAD_LETTER_EXCHANGE = "dead_letter_exchange"
#: messages in one queue; beyond that the oldest are dropped, as the work itself is in the database
_MOST_MESSAGES = 100_000
#: a message older than this is useless
_EXPIRES = timedelta(minutes=10)
#: ids that wait to be sent, for each queue
_MOST_WAITING = 10_000
_HOSTS_AT_ONCE = 100
_PAGES_IN_A_MESSAGE = 64
#: messages that one process may hold: few, so that a process that sleeps keeps few from the others
_HOSTS_IN_HAND = 16
_PAGE_MESSAGES_IN_HAND = 4
_CONNECT_SECONDS = 5.0
#: a server that says nothing for three of these is given up; it may have gone without a word
HEARTBEAT_SECONDS = 8
#: how long a connection may take to close
_CLOSE_SECONDS = 5.0
_CONFIRM_SECONDS = 10.0
_DEPTHS_SECONDS = 2.0
_FIRST_PAUSE, _LONGEST_PAUSE = 0.25, 5.0
_AWAY = (*CONNECTION_EXCEPTIONS, TimeoutError)
# A lost connection is logged once, by us: not with a traceback by each library that notices.
for _part in ("aio_pika", "aiormq"):
    logging.getLogger(_part).setLevel(logging.CRITICAL)


class RabbitQueue:
    """One process's connection to the queues, reconnected whenever it breaks."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._server = urls.masked(url)
        self._connection: AbstractConnection | None = None
        #: why there is no connection; None while there is
        self.trouble: str | None = "not connected yet"
        self._is_known_lost = False
        #: queue -> ids that wait to be sent
        self._waiting: dict[str, dict[int, None]] = {PRIORITY: {}, CRAWL: {}, PARSE: {}}
        self._called = asyncio.Event()
        #: ids that were dropped since the connection was lost
        self._dropped = 0

    def wake_hosts(self, host_ids: Iterable[int], *, urgent: bool = False) -> None:
        """Queues wake-ups for hosts."""
        self._add(PRIORITY if urgent else CRAWL, host_ids)

    def offer_pages(self, page_ids: Iterable[int]) -> None:
        """Queues wake-ups for pages."""
        self._add(PARSE, page_ids)

    async def run(self, *, hosts: Hear | None, pages: Hear | None, stopping: asyncio.Event) -> None:
        """Stays connected until cancelled; logs once when the server is lost and once when it is back."""
        pause = _FIRST_PAUSE
        while True:
            try:
                async with self._connected() as connection:
                    async with asyncio.timeout(_CONNECT_SECONDS):
                        channel = await _declare(connection)
                    self._found(connection)
                    pause = _FIRST_PAUSE
                    await self._work(connection, channel, hosts, pages, stopping)
            except* Exception as broken:
                self._lost(broken)
            # Not all workers at once, when the server comes back.
            await asyncio.sleep(pause * random.uniform(0.5, 1))
            pause = min(2 * pause, _LONGEST_PAUSE)

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[AbstractConnection]:
        """A connection that notices when its server falls silent; a failed one is not left behind."""
        url = make_url(self._url)
        if "heartbeat" not in url.query:
            url = url.update_query(heartbeat=HEARTBEAT_SECONDS)
        connection = aio_pika.Connection(url)
        try:
            await connection.connect(timeout=_CONNECT_SECONDS)
            yield connection
        finally:
            with suppress(TimeoutError):
                async with asyncio.timeout(_CLOSE_SECONDS):
                    await connection.close()

    async def depths(self) -> dict[str, Depth] | None:
        """The number of messages in each queue; None while there is no connection."""
        if self._connection is None:
            return None
        try:
            async with asyncio.timeout(_DEPTHS_SECONDS), self._connection.channel() as channel:
                return {name: await _depth(channel, name) for name in (*self._waiting, DEAD_LETTERS)}
        except ChannelNotFoundEntity:
            # A queue was deleted, perhaps one without a listener: the next connection creates it again.
            await self._connection.close()
            return None
        except _AWAY:
            return None

    async def _work(
        self,
        connection: AbstractConnection,
        channel: AbstractChannel,
        hosts: Hear | None,
        pages: Hear | None,
        stopping: asyncio.Event,
    ) -> None:
        """Sends and listens until the connection breaks."""
        broken = asyncio.Event()
        connection.close_callbacks.add(lambda *_: broken.set())

        async def bury(body: bytes, queue: str, reason: str) -> None:
            log.warning("queue.dead_letter", queue=queue, reason=reason)
            message = aio_pika.Message(body, headers={"queue": queue, "reason": reason})
            exchange = await channel.get_exchange(_DEAD_LETTER_EXCHANGE, ensure=False)
            await exchange.publish(message, DEAD_LETTERS, timeout=_CONFIRM_SECONDS)

        listeners: list[Listener] = []
        if hosts is not None:
            for name in (PRIORITY, CRAWL):
                listeners.append(Listener(name, queue_message.hosts_in, hear=hosts, bury=bury, in_hand=_HOSTS_IN_HAND))
        if pages is not None:
            listeners.append(
                Listener(PARSE, queue_message.pages_in, hear=pages, bury=bury, in_hand=_PAGE_MESSAGES_IN_HAND)
            )
        async with asyncio.TaskGroup() as group:
            group.create_task(self._send(channel))
            for listener in listeners:
                group.create_task(listener.run(connection, stopping=stopping))
            await broken.wait()
            raise ConnectionError("the connection was closed")

    def _add(self, name: str, ids: Iterable[int]) -> None:
        waiting = self._waiting[name]
        for number in ids:
            if self._connection is None or len(waiting) >= _MOST_WAITING:
                self._dropped += 1
            else:
                waiting[number] = None
        self._called.set()

    async def _send(self, channel: AbstractChannel) -> None:
        """Sends waiting messages, the urgent first, and waits for the confirmation."""
        while True:
            await self._called.wait()
            self._called.clear()
            for name, at_once, bodies in _SENDING:
                waiting = self._waiting[name]
                while waiting:
                    ids = list(waiting)[:at_once]
                    for number in ids:
                        del waiting[number]
                    await self._publish(channel, name, bodies(ids))

    async def _publish(self, channel: AbstractChannel, name: str, bodies: list[bytes]) -> None:
        messages = [
            aio_pika.Message(body, delivery_mode=DeliveryMode.NOT_PERSISTENT, expiration=_EXPIRES) for body in bodies
        ]
        publish = channel.default_exchange.publish
        await asyncio.gather(*(publish(message, name, timeout=_CONFIRM_SECONDS) for message in messages))

    def _found(self, connection: AbstractConnection) -> None:
        self._connection, self.trouble = connection, None
        key = "queue.back" if self._is_known_lost else "queue.connected"
        log.info(key, server=self._server, dropped=self._dropped)
        self._is_known_lost, self._dropped = False, 0

    def _lost(self, error: Exception) -> None:
        while isinstance(error, ExceptionGroup):  # what ended one part ended the others with it
            error = error.exceptions[0]
        self._connection = None
        self.trouble = f"{type(error).__name__}: {urls.masked(str(error))}"
        for waiting in self._waiting.values():
            self._dropped += len(waiting)
            waiting.clear()
        if not self._is_known_lost:
            log.warning("queue.lost", server=self._server, error=self.trouble)
        self._is_known_lost = True


def _host_bodies(ids: list[int]) -> list[bytes]:
    return [queue_message.host_message(host_id) for host_id in ids]


def _page_bodies(ids: list[int]) -> list[bytes]:
    return [queue_message.pages_message(ids)]


#: queue, ids sent at once, and the messages that carry them
_SENDING: tuple[tuple[str, int, Callable[[list[int]], list[bytes]]], ...] = (
    (PRIORITY, _HOSTS_AT_ONCE, _host_bodies),
    (CRAWL, _HOSTS_AT_ONCE, _host_bodies),
    (PARSE, _PAGES_IN_A_MESSAGE, _page_bodies),
)


async def _declare(connection: AbstractConnection) -> AbstractChannel:
    """Declares the queues, and returns the channel to send through."""
    # A message without a queue comes back and breaks the connection: the next connection creates the queues again.
    channel = await connection.channel(publisher_confirms=True, on_return_raises=True)
    # Classic queues, because messages here are many, small and expendable.
    for name in (PRIORITY, CRAWL, PARSE, DEAD_LETTERS):
        await channel.declare_queue(name, durable=True, arguments={"x-max-length": _MOST_MESSAGES})
    exchange = await channel.declare_exchange(_DEAD_LETTER_EXCHANGE, durable=True)
    await (await channel.get_queue(DEAD_LETTERS, ensure=False)).bind(exchange, DEAD_LETTERS)
    return channel


async def _depth(channel: AbstractChannel, name: str) -> Depth:
    found = (await channel.declare_queue(name, passive=True)).declaration_result
    return Depth(ready=found.message_count or 0, consumers=found.consumer_count or 0)
