"""How many reader processes a pool starts, and what comes back from them."""

import asyncio
import pickle
from asyncio.subprocess import Process
from datetime import UTC, datetime

import pytest

from lamplighter.crawl.reading import reader_pool
from lamplighter.crawl.reading.reader import read_batch
from lamplighter.crawl.reading.reader_messages import PageWork
from lamplighter.crawl.reading.reader_pool import ReaderPool
from lamplighter.model.recipe import EMPTY
from lamplighter.rules.urls.scope import LinkScope


@pytest.mark.fresh_readers
async def test_no_further_reader_is_started_while_one_is_idle(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[Process] = []
    start = reader_pool.start_process

    async def starting() -> Process:
        started.append(await start())
        return started[-1]

    monkeypatch.setattr(reader_pool, "start_process", starting)
    now = datetime.now(UTC)
    async with ReaderPool(workers=3, timeout=60) as pool:
        for _ in range(3):
            await pool.read([], now=now)
        one_after_another = len(started)
        await asyncio.gather(*(pool.read([], now=now) for _ in range(2)))

    assert (one_after_another, len(started)) == (1, 2)


def test_a_digest_brings_nothing_of_the_reader_into_the_service() -> None:
    url = "https://example.org/jobs/7"
    work = PageWork(
        page_id=1,
        url=url,
        source_url=url,
        depth=0,
        body=b"<!doctype html><title>404 Not Found</title><h1>Page not found</h1><p>There is no such page.</p>",
        content_type="text/html",
        robots_tag=None,
        usage=None,
        agent="lamplighterbot",
        kind=None,
        recipe=EMPTY,
        scope=LinkScope(hostnames=("example.org",), max_depth=1),
    )

    (digest,) = read_batch([work], datetime.now(UTC))

    assert digest.obstacle is not None
    # A type that is named there is imported by whoever reads it, with all that its module needs.
    assert b"lamplighter.extract" not in pickle.dumps(digest, protocol=pickle.HIGHEST_PROTOCOL)
