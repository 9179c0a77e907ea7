"""What does Scrapy cost that keeps and reads what it crawls, and comes again?"""

import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import urljoin

from scrapy import Request, Spider  # type: ignore[import-not-found]
from scrapy.crawler import CrawlerProcess  # type: ignore[import-not-found]

from benchmarks.peers.contract import Tally, given
from benchmarks.peers.kept import KeptPages
from benchmarks.peers.scrapy_tuned import SETTINGS

_NOT_MODIFIED = 304


class KeepingSpider(Spider):  # type: ignore[misc]
    """Follows the links of the first page of each host."""

    name = "keeping"
    handle_httpstatus_list = (_NOT_MODIFIED,)

    def __init__(self, *, starts: list[str], kept: KeptPages, tally: Tally, **options: Any) -> None:
        super().__init__(**options)
        self._starts, self._kept, self._tally = starts, kept, tally

    async def start(self) -> Any:
        """Asks for the first pages."""
        for url in self._starts:
            yield self._request(url, self.parse_first)

    def parse_first(self, response: Any) -> Iterator[Any]:
        """The first page of a host."""
        for link in self._links(response):
            yield self._request(urljoin(response.url, link), self.parse)

    def parse(self, response: Any) -> None:
        """Any other page."""
        self._links(response)
        self._tally.pages += 1

    def _links(self, response: Any) -> list[str]:
        if response.status == _NOT_MODIFIED:
            return self._kept.links_of(response.url)
        named = {name: response.headers.get(name, b"").decode() or None for name in ("etag", "last-modified")}
        return self._kept.read(response.url, response.body, named)

    def _request(self, url: str, callback: Any) -> Any:
        return Request(url, callback=callback, headers=self._kept.headers(url), dont_filter=True)


if __name__ == "__main__":
    tally, (starts, state, _) = Tally(), given()
    assert state is not None
    kept = KeptPages(state)
    process = CrawlerProcess(SETTINGS)
    process.crawl(KeepingSpider, starts=starts, kept=kept, tally=tally)
    tally.started = time.process_time()
    process.start()
    kept.close()
    tally.report()
