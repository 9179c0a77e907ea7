"""All parts of the benchmarks, in the order in which they are run and shown."""

from typing import Final

from benchmarks import (
    claims,
    crashes,
    crawl,
    deciding,
    delayed,
    extraction,
    fleet,
    freshness,
    growth,
    latency,
    lists,
    real_crawl,
    real_pages,
    robots_urls,
    stages,
    variants,
)

PARTS: Final = (
    crawl.PART,
    variants.PART,
    real_crawl.PART,
    stages.PART,
    delayed.PART,
    growth.PART,
    claims.PART,
    lists.PART,
    freshness.PART,
    deciding.PART,
    extraction.PART,
    real_pages.PART,
    robots_urls.PART,
    latency.PART,
    fleet.PART,
    crashes.PART,
)
