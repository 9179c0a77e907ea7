"""Hundreds of sites, each on a loopback address of its own, all in one thread: whom the fleet visits, and its judge."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import Any, Self

from tests.origin import Hit, Origin
from tests.origin.threaded import LoopThread
from tests.service.sites import links_html, posting_html

_PER_NETWORK = 250


class Town:
    """Sites with a list of postings each."""

    def __init__(self, sites: int, *, postings: int, network: str | None = None) -> None:
        self.sites = [_site(_address(number, network), number, postings) for number in range(sites)]
        self._thread = LoopThread("town")

    def __enter__(self) -> Self:
        self._thread.start()
        self._thread.do(_all(site.open() for site in self.sites))
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.do(_all(site.close() for site in self.sites))
        self._thread.stop()

    @property
    def starts(self) -> list[str]:
        """Where to begin, site by site."""
        return [site.url + "/jobs" for site in self.sites]

    @property
    def asked(self) -> int:
        """Pages asked for so far, on all sites."""
        return sum(len(pages(site)) for site in self.sites)

    @property
    def log(self) -> list[Hit]:
        """Every request so far, to all sites."""
        return [hit for site in self.sites for hit in site.log]

    def repeated(self) -> list[tuple[Any, ...]]:
        """Each page that was asked for more than once: its site, and the requests."""
        found: list[tuple[Any, ...]] = []
        for site in self.sites:
            counts = Counter(hit.path for hit in pages(site))
            found += [(site, *site.hits(path)) for path, count in counts.items() if count > 1]
        return found

    def missing(self, *, postings: int) -> int:
        """Pages that nobody asked for."""
        return sum(postings + 1 - len({hit.path for hit in pages(site)}) for site in self.sites)


def pages(site: Origin) -> Sequence[Hit]:
    """The requests for pages."""
    return [hit for hit in list(site.log) if hit.path != "/robots.txt"]


def _address(number: int, network: str | None) -> str:
    """On loopback, or in a `network` of which the first three numbers are given."""
    beyond, place = divmod(number, _PER_NETWORK)
    return f"{network or f'127.0.{beyond + 1}'}.{place + 1}"


def _site(address: str, number: int, postings: int) -> Origin:
    site = Origin(address)
    site.page("/jobs", links_html(*(f"/job/{posting}" for posting in range(postings))))
    for posting in range(postings):
        site.page(f"/job/{posting}", posting_html(posting, title=f"Posting {posting} of site {number}"))
    return site


async def _all(work: Any) -> None:
    await asyncio.gather(*work)
