"""Does a big host starve the small ones? One host with 10,000 pages beside 100 hosts with one page each.

`python -m benchmarks.fairness` prints when the 100 were done, and how far the big one was by then.
"""

import tempfile
from pathlib import Path

import sqlalchemy as sa
from rich.console import Console

from benchmarks import ours
from benchmarks.site.nginx import serve
from benchmarks.site.site import SitePlan, write_site
from lamplighter import telemetry
from lamplighter.app import Service
from lamplighter.cli.terminal import loop
from lamplighter.store.schema.tables import pages

SMALL_HOSTS = 100
BIG_HOST_PAGES = 10_000
#: few, so that a big host could take them all
SLOTS = 3


async def run(urls: list[str], folder: Path) -> tuple[float, int, int]:
    """Seconds until every small host was fetched, the big host's pages by then, and all pages."""
    settings = ours.bench_settings(folder, fetch_slots=SLOTS, max_concurrency=1)
    async with ours.rounds(settings, urls) as service:
        while await _small_left(service):
            await service.bells.finished.wait(0.1)
        return await _figures(service)


async def _small_left(service: Service) -> bool:
    async with service.db.read() as db:
        done = sa.select(sa.func.count(sa.distinct(pages.c.host_id))).where(pages.c.fetched_at.is_not(None))
        return (await db.scalar(done) or 0) < SMALL_HOSTS + 1


async def _figures(service: Service) -> tuple[float, int, int]:
    async with service.db.read() as db:
        rows = await db.execute(
            sa.select(pages.c.host_id, sa.func.min(pages.c.fetched_at).label("first"), sa.func.count().label("count"))
            .where(pages.c.fetched_at.is_not(None))
            .group_by(pages.c.host_id)
        )
        hosts = sorted(rows.all(), key=lambda row: -row.count)
    times = [row.first for row in hosts]
    return (max(times) - min(times)).total_seconds(), hosts[0].count, sum(row.count for row in hosts)


def main() -> None:
    """Builds the site, crawls until the small hosts are done, and says how that went."""
    telemetry.configure("error")
    plan = SitePlan(page_counts=(BIG_HOST_PAGES, *[1] * SMALL_HOSTS))
    with tempfile.TemporaryDirectory(prefix="lamplighter-fairness-") as folder:
        site = Path(folder) / "site"
        site.mkdir()
        write_site(plan, site)
        with serve(site, plan.addresses) as origin:
            seconds, big, total = loop.run(run(plan.bases(origin.port), Path(folder) / "data"))
    Console().print(
        f"All {SMALL_HOSTS} one-page hosts were fetched within {seconds:.1f} s of the first request, "
        f"while the host with {BIG_HOST_PAGES:,} pages had got {big} of them ({total} pages in all, {SLOTS} slots)."
    )


if __name__ == "__main__":
    main()
