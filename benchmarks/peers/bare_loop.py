"""How cheap can a Python crawl be? aiohttp and lexbor in a loop: no robots, no retries, nothing kept."""

import asyncio
from urllib.parse import urljoin

import aiohttp
import orjson
import uvloop
from selectolax.lexbor import LexborHTMLParser

from benchmarks.peers.contract import Tally, bases

_WORKERS = 64
_PER_HOST = 8


class BareLoop:
    """A set of URLs seen, a queue of those to fetch."""

    def __init__(self, starts: list[str]) -> None:
        self.tally = Tally()
        self._seen = set(starts)
        self._queue: asyncio.Queue[str] = asyncio.Queue()
        for start in starts:
            self._queue.put_nowait(start)

    async def run(self) -> None:
        connector = aiohttp.TCPConnector(limit=_WORKERS, limit_per_host=_PER_HOST)
        async with aiohttp.ClientSession(connector=connector) as session, asyncio.TaskGroup() as group:
            workers = [group.create_task(self._work(session)) for _ in range(_WORKERS)]
            await self._queue.join()
            for worker in workers:
                worker.cancel()

    async def _work(self, session: aiohttp.ClientSession) -> None:
        while True:
            url = await self._queue.get()
            async with session.get(url) as response:
                body = await response.read()
                if response.status == 200:
                    self._read(url, body)
            self._queue.task_done()

    def _read(self, url: str, body: bytes) -> None:
        tree = LexborHTMLParser(body)
        title = tree.css_first("title")
        items = [orjson.loads(node.text()) for node in tree.css('script[type="application/ld+json"]')]
        hrefs = [node.attributes["href"] or "" for node in tree.css("a[href]")]
        self.tally.pages += title is not None
        self.tally.items += len(items)
        self.tally.links += len(hrefs)
        origin = url[: url.index("/", 8)]
        for href in hrefs:
            path = href.partition("#")[0]
            target = origin + path if path.startswith("/") else urljoin(url, path)
            if target not in self._seen and target.startswith(origin):
                self._seen.add(target)
                self._queue.put_nowait(target)


if __name__ == "__main__":
    loop = BareLoop(bases())
    uvloop.run(loop.run())
    loop.tally.report()
