"""What does Scrapy cost as it comes? Its own duplicate filter and settings; only robots is on and the log quiet."""

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any
from urllib.parse import urlsplit

from scrapy import Request, Spider  # type: ignore[import-not-found]
from scrapy.crawler import CrawlerProcess  # type: ignore[import-not-found]

from benchmarks.peers.contract import Tally, bases


class DefaultSpider(Spider):  # type: ignore[misc]
    """Follows every link as the tutorial does: the framework drops what is off site or known."""

    name = "default"

    def __init__(self, *, starts: list[str], tally: Tally, **options: Any) -> None:
        super().__init__(**options)
        self.start_urls = starts
        self.allowed_domains = [urlsplit(start).hostname for start in starts]
        self.tally = tally

    async def start(self) -> AsyncIterator[Any]:
        # Scrapy's own start() does not remember the first pages as seen, and would fetch each of them twice.
        for url in self.start_urls:
            yield Request(url)

    def parse(self, response: Any) -> Iterator[Any]:
        self.tally.pages += 1
        for text in response.css('script[type="application/ld+json"]::text').getall():
            self.tally.items += 1
            yield {"title": response.css("title::text").get(), "posting": json.loads(text)}
        for href in response.css("a::attr(href)").getall():
            self.tally.links += 1
            if not href.startswith("mailto:"):
                yield response.follow(href)


if __name__ == "__main__":
    tally = Tally()
    process = CrawlerProcess({"ROBOTSTXT_OBEY": True, "LOG_LEVEL": "WARNING", "TELNETCONSOLE_ENABLED": False})
    process.crawl(DefaultSpider, starts=bases(), tally=tally)
    process.start()
    tally.report()
