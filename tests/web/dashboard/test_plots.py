"""Plots on the pages where one would look, and the same figures as CSV."""

import csv
import io
import json
import re
from html import unescape
from typing import Any

import pytest
import sqlalchemy as sa

from lamplighter.app import Service
from lamplighter.store.schema import tables
from tests.web.asgi_client import Ask
from tests.web.dashboard.runs.test_crawl import open_run

PAGES = {
    "/crawl": ["Pages per hour", "Records per hour", "Queue length", "Bytes per hour"],
    "/schedule": ["Staleness promised and measured", "Fetch budget per hour"],
    "/hosts": ["Response times"],
    "/hosts/quay.example": ["Response times"],
}


async def fetched(service: Service, pages: int) -> None:
    """A run that began just now fetched so many pages."""
    await open_run(service)
    async with service.db.exclusive() as db:
        await db.execute(sa.update(tables.crawl_runs).values(pages_fetched=pages))


def plotted(text: str) -> list[Any]:
    """What the page gives the script to draw."""
    return [json.loads(unescape(each)) for each in re.findall(r'data-plot="([^"]*)"', text)]


@pytest.mark.parametrize("path", PAGES)
async def test_a_page_has_its_plots_each_with_its_figures_as_csv(ask: Ask, service: Service, path: str) -> None:
    await open_run(service)

    text = (await ask(path)).text
    addresses = [unescape(each) for each in re.findall(r'class="csv" href="([^"]*)"', text)]
    files = [await ask(address) for address in addresses]

    assert re.findall(r"<figcaption><span><strong>([^<]*)", text) == PAGES[path]
    assert [(each.status, each.headers["content-type"]) for each in files] == [
        (200, "text/csv; charset=utf-8") for _ in PAGES[path]
    ]


async def test_the_plot_the_table_and_the_csv_say_the_same(ask: Ask, service: Service) -> None:
    await fetched(service, 7)

    text = (await ask("/crawl", query={"period": "1h"})).text
    rows = list(csv.DictReader(io.StringIO((await ask("/plots/pages.csv", query={"period": "1h"})).text)))

    drawn = plotted(text)[0]["series"][0]
    assert (drawn["label"], drawn["values"]) == ("fetched", [int(row["fetched (pages)"]) for row in rows])
    assert (len(rows), sum(drawn["values"])) == (12, 7)
    assert text.count('<td class="number">7</td>') == 1


async def test_the_address_keeps_the_period_and_everything_else_that_was_asked(ask: Ask) -> None:
    text = (await ask("/hosts", query={"search": "quay & co", "period": "7d"})).text

    assert re.findall(r'aria-current="true">([^<]*)</a>', text) == ["7 d"]
    assert 'href="/hosts?search=quay+%26+co&amp;period=30d"' in text
    assert '<input type="hidden" name="period" value="7d">' in text


async def test_a_script_renews_the_plots_alone(ask: Ask) -> None:
    for path in PAGES:
        reply = await ask(path, hx_request="true", hx_target="plots")

        assert '<section id="plots"' in reply.text, path
        assert "<html" not in reply.text, path


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("/plots/moons.csv", "there are pages, records, queue"),
        ("/plots/pages.csv?period=3y", "there are 1h, 24h, 7d, 30d"),
        ("/plots/pages.csv?host=quay.example", "is of all hosts"),
    ],
)
async def test_a_plot_that_there_is_not_is_refused_by_its_name(ask: Ask, address: str, said: str) -> None:
    reply = await ask(address)

    assert reply.status == 404
    assert said in reply.text


async def test_the_runs_of_a_source_come_as_csv_too(ask: Ask, service: Service) -> None:
    await fetched(service, 7)
    async with service.db.exclusive() as db:
        runs = tables.crawl_runs
        await db.execute(sa.update(runs).values(finished_at=runs.c.started_at, outcome="ok", records_found=5))
        source = await db.scalar(sa.select(tables.sources.c.public_id))

    reply = await ask(f"/sources/{source}/plots/records.csv")

    assert reply.text.splitlines()[0] == "time,found (records),new or changed (records)"
    assert reply.text.splitlines()[1].endswith(",5,0")
