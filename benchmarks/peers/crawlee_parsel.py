"""What does crawlee for Python cost with its faster parser? Queue in memory, robots on, no data set written."""

import asyncio
import json
import logging
from typing import Any

from crawlee import ConcurrencySettings  # type: ignore[import-not-found]
from crawlee.crawlers import ParselCrawler  # type: ignore[import-not-found]
from crawlee.storage_clients import MemoryStorageClient  # type: ignore[import-not-found]

from benchmarks.peers.contract import Tally, bases


async def crawl(starts: list[str], tally: Tally) -> None:
    """Follows links within each host until none is left."""
    crawler = ParselCrawler(
        storage_client=MemoryStorageClient(),
        concurrency_settings=ConcurrencySettings(min_concurrency=64, desired_concurrency=64, max_concurrency=64),
        respect_robots_txt_file=True,
        configure_logging=False,
    )

    async def read(context: Any) -> None:
        tally.pages += 1
        context.selector.css("title::text").get()
        texts = context.selector.css('script[type="application/ld+json"]::text').getall()
        tally.items += len([json.loads(text) for text in texts])
        tally.links += len(context.selector.css("a::attr(href)").getall())
        await context.enqueue_links(strategy="same-hostname")

    crawler.router.default_handler(read)
    await crawler.run(starts)


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING)
    tally = Tally()
    asyncio.run(crawl(bases(), tally))
    tally.report()
