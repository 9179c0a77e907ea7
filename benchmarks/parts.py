"""All parts of the benchmarks, in the order in which they are run and shown."""

from typing import Final

from benchmarks import (
    claims,
    crashes,
    crawl,
    extraction,
    fleet,
    freshness,
    growth,
    latency,
    lists,
    real_pages,
    robots_urls,
    stages,
)

PARTS: Final = (
    crawl.PART,
    stages.PART,
    growth.PART,
    claims.PART,
    lists.PART,
    freshness.PART,
    extraction.PART,
    real_pages.PART,
    robots_urls.PART,
    latency.PART,
    fleet.PART,
    crashes.PART,
)
