"""The contract of the port Queue, kept by every adapter; and what only a queue between processes must do."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aio_pika
import pytest

from lamplighter.adapters.messaging import rabbitmq, rabbitmq_listener
from lamplighter.adapters.messaging.in_process_queue import InProcessQueue
from lamplighter.adapters.messaging.rabbitmq import RabbitQueue
from lamplighter.ports import Depth, Queue
from tests.servers.relay import Relay

PATIENCE_SECONDS = 120
#: long enough for a message that should not come
A_WHILE_SECONDS = 0.3

OpenQueue = Callable[[], Queue]


@pytest.fixture(params=["in process", "rabbitmq"])
def open_queue(request: pytest.FixtureRequest) -> OpenQueue:
    """Each kind of queue."""
    if request.param == "in process":
        return InProcessQueue
    url: str = request.getfixturevalue("rabbitmq_url")
    return lambda: RabbitQueue(url)


@dataclass
class Heard:
    """A process that notes what it hears."""

    queue: Queue
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    hosts: list[int] = field(default_factory=list)
    pages: list[int] = field(default_factory=list)

    async def hear_hosts(self, ids: Sequence[int]) -> None:
        self.hosts += ids

    async def hear_pages(self, ids: Sequence[int]) -> None:
        self.pages += ids


@asynccontextmanager
async def listening(queue: Queue) -> AsyncIterator[Heard]:
    """A process that is connected, and hears everything."""
    heard = Heard(queue)
    running = queue.run(hosts=heard.hear_hosts, pages=heard.hear_pages, stopping=heard.stopping)
    async with _going(running):
        await until(lambda: queue.trouble is None)
        yield heard


@asynccontextmanager
async def _going(work: Awaitable[None]) -> AsyncIterator[None]:
    task = asyncio.ensure_future(work)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()


async def until(is_true: Callable[[], bool]) -> None:
    """Waits for something that is to happen."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not is_true():  # noqa: ASYNC110 - as an outsider would look
            await asyncio.sleep(0.01)


async def test_hosts_that_are_called_for_are_heard_of(open_queue: OpenQueue) -> None:
    async with listening(open_queue()) as heard:
        heard.queue.wake_hosts([1, 2])
        heard.queue.wake_hosts({3}, urgent=True)

        await until(lambda: set(heard.hosts) == {1, 2, 3})

    assert not heard.pages


async def test_pages_that_are_offered_are_heard_of(open_queue: OpenQueue) -> None:
    async with listening(open_queue()) as heard:
        heard.queue.offer_pages(range(1, 300))

        await until(lambda: set(heard.pages) == set(range(1, 300)))

    assert not heard.hosts


async def test_calls_made_in_one_go_for_the_same_host_are_one(open_queue: OpenQueue) -> None:
    async with listening(open_queue()) as heard:
        for _ in range(10):
            heard.queue.wake_hosts([7])
        heard.queue.wake_hosts([8])
        await until(lambda: 8 in heard.hosts)

    assert heard.hosts.count(7) == 1


async def test_calling_for_nobody_is_no_call(open_queue: OpenQueue) -> None:
    async with listening(open_queue()) as heard:
        heard.queue.wake_hosts([])
        heard.queue.offer_pages([])
        await asyncio.sleep(A_WHILE_SECONDS)

    assert (heard.hosts, heard.pages) == ([], [])


async def test_calling_before_anybody_listens_neither_waits_nor_fails(open_queue: OpenQueue) -> None:
    queue = open_queue()

    queue.wake_hosts([1], urgent=True)
    queue.offer_pages([2])


async def test_who_fails_to_act_on_a_message_hears_the_next_one(open_queue: OpenQueue) -> None:
    queue, heard, stopping = open_queue(), list[int](), asyncio.Event()

    async def fail_at_first(ids: Sequence[int]) -> None:
        heard.extend(ids)
        if len(heard) == 1:
            raise RuntimeError("the database is away")

    async with _going(queue.run(hosts=fail_at_first, pages=None, stopping=stopping)):
        await until(lambda: queue.trouble is None)
        queue.wake_hosts([1])
        await until(lambda: heard == [1])
        queue.wake_hosts([2])

        await until(lambda: heard == [1, 2])


async def test_who_stops_takes_nothing_on(open_queue: OpenQueue) -> None:
    async with listening(open_queue()) as heard:
        heard.stopping.set()
        await asyncio.sleep(A_WHILE_SECONDS)
        heard.queue.wake_hosts([1])
        heard.queue.offer_pages([2])
        await asyncio.sleep(A_WHILE_SECONDS)

    assert (heard.hosts, heard.pages) == ([], [])


async def test_a_message_is_heard_by_one_of_several_processes(rabbitmq_url: str) -> None:
    async with listening(RabbitQueue(rabbitmq_url)) as one, listening(RabbitQueue(rabbitmq_url)) as two:
        one.queue.wake_hosts(range(1, 101))
        await until(lambda: len(one.hosts) + len(two.hosts) >= 100)
        # Now, for what one of them has not confirmed when it ends is told to the other once more.
        heard = (tuple(one.hosts), tuple(two.hosts))

    assert sorted(heard[0] + heard[1]) == list(range(1, 101))
    assert min(map(len, heard)) >= 25


async def test_what_a_process_has_no_use_for_is_left_to_others(rabbitmq_url: str) -> None:
    fetching, heard = RabbitQueue(rabbitmq_url), Heard(InProcessQueue())

    async with _going(fetching.run(hosts=heard.hear_hosts, pages=None, stopping=heard.stopping)):
        await until(lambda: fetching.trouble is None)
        fetching.offer_pages([5])
        async with listening(RabbitQueue(rabbitmq_url)) as reading:
            await until(lambda: reading.pages == [5])

    assert not heard.pages


async def test_messages_in_hand_of_a_process_that_dies_go_to_another(rabbitmq_url: str) -> None:
    dying = RabbitQueue(rabbitmq_url)

    async def never_done(ids: Sequence[int]) -> None:
        await asyncio.Event().wait()

    async with _calling(rabbitmq_url) as caller:
        async with _going(dying.run(hosts=never_done, pages=None, stopping=asyncio.Event())):
            caller.wake_hosts(range(1, 11))
            await _until_taken(caller, "crawl_queue")

        async with listening(RabbitQueue(rabbitmq_url)) as other:
            await until(lambda: set(other.hosts) == set(range(1, 11)))


@pytest.mark.parametrize(
    ("queue", "body", "reason"),
    [
        pytest.param("crawl_queue", b"{", "not JSON", id="malformed JSON"),
        pytest.param("crawl_queue", b"[1]", "not a JSON object", id="no object"),
        pytest.param("priority_queue", b'{"host_id": "1"}', "not an id", id="an id of the wrong type"),
        pytest.param("crawl_queue", b'{"version": 2, "host_id": 1}', "version", id="a version of the future"),
        pytest.param("parse_queue", b'{"page_ids": []}', "page_ids", id="pages without pages"),
        pytest.param("parse_queue", b'{"host_id": 1}', "page_ids", id="a host among pages"),
    ],
)
async def test_a_message_that_nobody_can_act_on_is_kept_with_the_reason(
    rabbitmq_url: str, queue: str, body: bytes, reason: str
) -> None:
    async with listening(RabbitQueue(rabbitmq_url)) as heard, _channel(rabbitmq_url) as channel:
        await channel.default_exchange.publish(aio_pika.Message(body), queue)
        dead = await _dead_letter(channel)
        heard.queue.wake_hosts([1])
        heard.queue.offer_pages([2])

        await until(lambda: (heard.hosts, heard.pages) == ([1], [2]))

    assert (dead.body, dead.headers["queue"]) == (body, queue)
    assert reason in str(dead.headers["reason"])


async def test_what_waits_is_counted_by_queue(rabbitmq_url: str) -> None:
    waiting = {"priority_queue": 1, "crawl_queue": 3, "parse_queue": 1, "dead_letter_queue": 0}
    expected = {name: Depth(messages, 0) for name, messages in waiting.items()}
    async with _calling(rabbitmq_url) as queue:
        queue.wake_hosts([1, 2, 3])
        queue.wake_hosts([4], urgent=True)
        queue.offer_pages([5, 6])
        async with asyncio.timeout(PATIENCE_SECONDS):
            while await queue.depths() != expected:  # noqa: ASYNC110 - as an outsider would look
                await asyncio.sleep(0.05)
        await asyncio.sleep(A_WHILE_SECONDS)

        assert await queue.depths() == expected


async def test_who_only_calls_notices_that_a_queue_is_gone_and_makes_it_again(rabbitmq_url: str) -> None:
    async with _calling(rabbitmq_url) as queue, _channel(rabbitmq_url) as channel:
        await channel.queue_delete("crawl_queue")
        queue.wake_hosts([1])
        await until(lambda: queue.trouble is not None)
        await until(lambda: queue.trouble is None)
        queue.wake_hosts([2])

        heard = await _message(channel, "crawl_queue")

    assert heard.body == b'{"version":1,"host_id":2}'


async def test_one_process_has_few_messages_in_hand_and_leaves_the_rest_to_others(rabbitmq_url: str) -> None:
    may_go_on = asyncio.Event()

    async def hear(_: Sequence[int]) -> None:
        await may_go_on.wait()

    slow = RabbitQueue(rabbitmq_url)
    async with _going(slow.run(hosts=hear, pages=None, stopping=asyncio.Event())), _calling(rabbitmq_url) as caller:
        await until(lambda: slow.trouble is None)
        caller.wake_hosts(range(1, 51))
        await asyncio.sleep(A_WHILE_SECONDS)
        async with listening(RabbitQueue(rabbitmq_url)) as other:
            await until(lambda: len(other.hosts) >= 50 - 16)
        may_go_on.set()


async def test_a_queue_that_somebody_deleted_is_made_and_heard_again(
    rabbitmq_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rabbitmq_listener, "WATCH_SECONDS", 0.1)
    async with listening(RabbitQueue(rabbitmq_url)) as heard, _channel(rabbitmq_url) as channel:
        await channel.queue_delete("crawl_queue")
        await until(lambda: heard.queue.trouble is not None)
        await until(lambda: heard.queue.trouble is None)
        heard.queue.wake_hosts([1])

        await until(lambda: heard.hosts == [1])


async def test_who_lost_its_place_at_a_queue_takes_it_again_although_another_is_heard_there(
    rabbitmq_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rabbitmq_listener, "WATCH_SECONDS", 0.1)
    async with listening(RabbitQueue(rabbitmq_url)) as heard, _channel(rabbitmq_url) as channel:
        await channel.queue_delete("crawl_queue")
        again = await channel.declare_queue("crawl_queue", durable=True, arguments={"x-max-length": 100_000})
        await again.consume(_leave_to_others)
        await until(lambda: heard.queue.trouble is not None)
        await until(lambda: heard.queue.trouble is None)
        heard.queue.wake_hosts([1])

        await until(lambda: heard.hosts == [1])


async def _leave_to_others(message: Any) -> None:
    await message.reject(requeue=True)


async def test_dead_letters_that_somebody_deleted_with_their_queue_have_one_again(rabbitmq_url: str) -> None:
    async with _calling(rabbitmq_url) as queue, _channel(rabbitmq_url) as channel:
        await channel.queue_delete("dead_letter_queue")
        async with asyncio.timeout(PATIENCE_SECONDS):
            while (depths := await queue.depths()) is None:  # noqa: ASYNC110 - as an outsider would look
                await asyncio.sleep(0.01)

    assert depths["dead_letter_queue"].ready == 0


async def test_i4_messages_flow_again_by_themselves_when_the_server_is_back(
    rabbitmq_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    address, _, virtual_host = rabbitmq_url.rpartition("/")
    credentials, _, port = address.rpartition(":")
    async with (
        Relay(int(port)) as relay,
        listening(RabbitQueue(f"{credentials}:{relay.port}/{virtual_host}")) as heard,
    ):
        await relay.cut()
        await until(lambda: heard.queue.trouble is not None)
        heard.queue.wake_hosts([1])
        depths_meanwhile = await heard.queue.depths()
        await asyncio.sleep(2 * A_WHILE_SECONDS)
        await relay.mend()
        await until(lambda: heard.queue.trouble is None)
        heard.queue.wake_hosts([2])
        await until(lambda: 2 in heard.hosts)

    said = "".join(capsys.readouterr())
    assert depths_meanwhile is None
    assert 1 not in heard.hosts  # not sent late: the database has been asked by then
    assert (said.count("queue.lost"), said.count("queue.back")) == (1, 1)
    assert "guest:guest" not in said


async def test_a_server_that_falls_silent_is_noticed_by_a_process_that_only_listens(
    rabbitmq_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rabbitmq, "HEARTBEAT_SECONDS", 1)
    monkeypatch.setattr(rabbitmq, "_CONNECT_SECONDS", 2.0)
    address, _, virtual_host = rabbitmq_url.rpartition("/")
    credentials, _, port = address.rpartition(":")
    async with (
        Relay(int(port)) as relay,
        listening(RabbitQueue(f"{credentials}:{relay.port}/{virtual_host}")) as heard,
    ):
        relay.hush()
        await until(lambda: heard.queue.trouble is not None)
        relay.speak()
        await until(lambda: heard.queue.trouble is None)
        heard.queue.wake_hosts([1])

        await until(lambda: 1 in heard.hosts)


@asynccontextmanager
async def _calling(url: str) -> AsyncIterator[RabbitQueue]:
    """A process that calls, and hears nothing."""
    queue = RabbitQueue(url)
    async with _going(queue.run(hosts=None, pages=None, stopping=asyncio.Event())):
        await until(lambda: queue.trouble is None)
        yield queue


async def _until_taken(caller: RabbitQueue, name: str) -> None:
    """Waits until somebody has in hand all that was sent."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        await asyncio.sleep(A_WHILE_SECONDS)  # they are sent in the background
        depths = await caller.depths()
        while depths is None or depths[name].ready or not depths[name].consumers:
            await asyncio.sleep(0.02)
            depths = await caller.depths()


@asynccontextmanager
async def _channel(url: str) -> AsyncIterator[aio_pika.abc.AbstractChannel]:
    async with await aio_pika.connect(url) as connection, connection.channel() as channel:
        yield channel


async def _dead_letter(channel: aio_pika.abc.AbstractChannel) -> aio_pika.abc.AbstractIncomingMessage:
    return await _message(channel, "dead_letter_queue")


async def _message(channel: aio_pika.abc.AbstractChannel, name: str) -> aio_pika.abc.AbstractIncomingMessage:
    queue = await channel.get_queue(name)
    async with asyncio.timeout(PATIENCE_SECONDS):
        while (message := await queue.get(fail=False)) is None:  # noqa: ASYNC110 - as an outsider would look
            await asyncio.sleep(0.02)
    await message.ack()
    return message
