"""What does Scrapy cost in the hands of someone who knows it?

uvloop, duplicates and off-site links dropped in the spider before a Request is built, few concurrent items, no cookies.
"""

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urljoin

from scrapy import Request, Spider  # type: ignore[import-not-found]
from scrapy.crawler import CrawlerProcess  # type: ignore[import-not-found]

from benchmarks.peers.contract import Tally, bases

SETTINGS = {
    "ASYNCIO_EVENT_LOOP": "uvloop.Loop",
    "CONCURRENT_ITEMS": 4,
    "CONCURRENT_REQUESTS": 64,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
    "COOKIES_ENABLED": False,
    "DOWNLOAD_DELAY": 0,
    "DUPEFILTER_CLASS": "scrapy.dupefilters.BaseDupeFilter",
    "LOG_LEVEL": "WARNING",
    "ROBOTSTXT_OBEY": True,
    "TELNETCONSOLE_ENABLED": False,
}


class TunedSpider(Spider):  # type: ignore[misc]
    """Keeps its own set of URLs seen."""

    name = "tuned"

    def __init__(self, *, starts: list[str], tally: Tally, **options: Any) -> None:
        super().__init__(**options)
        self.start_urls = starts
        self.tally = tally
        self._seen = set(starts)

    def parse(self, response: Any) -> Iterator[Any]:
        self.tally.pages += 1
        for text in response.css('script[type="application/ld+json"]::text').getall():
            self.tally.items += 1
            yield {"title": response.css("title::text").get(), "posting": json.loads(text)}
        hrefs = response.css("a::attr(href)").getall()
        self.tally.links += len(hrefs)
        yield from self._new_requests(response.url, hrefs)

    def _new_requests(self, url: str, hrefs: list[str]) -> Iterator[Any]:
        origin = url[: url.index("/", 8)]
        for href in hrefs:
            path = href.partition("#")[0]
            target = origin + path if path.startswith("/") else urljoin(url, path)
            if target not in self._seen and target.startswith(origin):
                self._seen.add(target)
                yield Request(target, dont_filter=True)


if __name__ == "__main__":
    tally = Tally()
    process = CrawlerProcess(SETTINGS)
    process.crawl(TunedSpider, starts=bases(), tally=tally)
    process.start()
    tally.report()
