"""What does crawlee for Python cost that keeps and reads what it crawls, and comes again?"""

import asyncio
import logging
import time
from typing import Any
from urllib.parse import urljoin

from crawlee import ConcurrencySettings, Request  # type: ignore[import-not-found]
from crawlee.crawlers import HttpCrawler  # type: ignore[import-not-found]
from crawlee.storage_clients import MemoryStorageClient  # type: ignore[import-not-found]

from benchmarks.peers.contract import Tally, given
from benchmarks.peers.kept import KeptPages

_NOT_MODIFIED = 304


async def crawl(starts: list[str], kept: KeptPages, tally: Tally) -> None:
    """Follows the links of the first page of each host."""
    first = set(starts)
    crawler = HttpCrawler(
        storage_client=MemoryStorageClient(),
        concurrency_settings=ConcurrencySettings(min_concurrency=64, desired_concurrency=64, max_concurrency=64),
        respect_robots_txt_file=True,
        configure_logging=False,
        ignore_http_error_status_codes=[_NOT_MODIFIED],
    )

    async def read(context: Any) -> None:
        url, response = context.request.url, context.http_response
        if response.status_code == _NOT_MODIFIED:
            links = kept.links_of(url)
        else:
            links = kept.read(url, await response.read(), response.headers)
        if url in first:
            await context.add_requests([_request(urljoin(url, link), kept) for link in links])
        else:
            tally.pages += 1

    crawler.router.default_handler(read)
    tally.started = time.process_time()
    await crawler.run([_request(url, kept) for url in starts])


def _request(url: str, kept: KeptPages) -> Any:
    return Request.from_url(url, headers=kept.headers(url))


if __name__ == "__main__":
    logging.basicConfig(level=logging.ERROR)
    tally, (starts, state, _) = Tally(), given()
    assert state is not None
    kept = KeptPages(state)
    asyncio.run(crawl(starts, kept, tally))
    kept.close()
    tally.report()
