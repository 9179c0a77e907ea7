"""The demo sites change as often as they say, say what changed, and link only to pages that are there."""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest

from lamplighter.demo.page import DemoPage, DemoRequest, Site
from lamplighter.demo.sites import SITES, copper_kettle, harbour_relief, lantern, meridian_labs, open_posts

BASE = "http://127.0.0.1:8061"
NOW = datetime(2026, 3, 14, 9, 26, tzinfo=UTC)
START_PAGES = {
    "Harbour Relief": "/jobs",
    "Meridian Labs": "/vacancies",
    "The Lantern": "/",
    "Copper Kettle": "/",
    "Open Posts": "/",
}
#: the footer of each site leads to one place that its robots.txt closes; nothing is served there
CLOSED = ("/staff/", "/intranet/", "/newsroom/", "/basket/", "/moderation/", "/apply/")


def page(site: Site, path: str, now: datetime = NOW, **query: str) -> DemoPage:
    found = site.page(DemoRequest(base=BASE, path=path, query=query, now=now))
    assert found is not None, path
    return found


def block(body: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/ld\+json">(.*?)</script>', body, re.DOTALL)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


def test_the_board_has_forty_postings_on_four_pages() -> None:
    pages = [page(harbour_relief.SITE, "/jobs", page=str(number)).body for number in (1, 2, 3, 4)]

    links = [link for body in pages for link in re.findall(r'href="(/jobs/\d+)"', body)]
    assert len(set(links)) == len(links) == 40
    assert ['rel="next"' in body for body in pages] == [True, True, True, False]


@pytest.mark.parametrize("number", ["0", "5", "99999999"])
def test_a_listing_page_beyond_the_last_is_missing(number: str) -> None:
    assert harbour_relief.SITE.page(DemoRequest(base=BASE, path="/jobs", query={"page": number}, now=NOW)) is None


def test_a_posting_tells_in_json_ld_what_it_shows() -> None:
    job = harbour_relief.content_at(NOW)[0]

    body = page(harbour_relief.SITE, f"/jobs/{job.id}").body

    data = block(body)
    assert data["@type"] == "JobPosting"
    assert data["title"] == job.title
    assert data["validThrough"] == job.closes_at.isoformat()
    assert job.title in body


def test_a_posting_that_closed_is_gone_and_much_later_missing() -> None:
    job = harbour_relief.content_at(NOW)[0]

    closed = page(harbour_relief.SITE, f"/jobs/{job.id}", job.closes_at)
    ask = DemoRequest(base=BASE, path=f"/jobs/{job.id}", now=job.closes_at + timedelta(days=50))

    assert closed.status == 410
    assert harbour_relief.SITE.page(ask) is None


def test_the_sitemap_lists_the_open_postings() -> None:
    body = page(harbour_relief.SITE, "/sitemap.xml").body

    assert body.count(f"<loc>{BASE}/jobs/") == 40


def test_the_table_shows_every_vacancy_and_no_json_ld() -> None:
    body = page(meridian_labs.SITE, "/vacancies").body

    assert body.count('<td class="title">') == len(meridian_labs.content_at(NOW)) == 12
    assert "ld+json" not in body


def test_the_feed_has_the_front_page_articles_newest_first() -> None:
    body = page(lantern.SITE, "/feed.xml").body

    linked = re.findall(rf"<link>{BASE}(/articles/\d+)</link>", body)
    assert linked == [article.path for article in lantern.content_at(NOW)]
    assert page(lantern.SITE, linked[0]).status == 200


def test_an_article_that_was_corrected_says_when() -> None:
    article = next(a for a in lantern.content_at(NOW) if a.changed_at > a.published_at)

    data = block(page(lantern.SITE, article.path).body)

    assert data["@type"] == "NewsArticle"
    assert data["dateModified"] == article.changed_at.isoformat() > data["datePublished"]
    assert "Correction" in data["articleBody"]


def test_an_article_of_the_future_is_not_there_yet() -> None:
    newest = lantern.content_at(NOW)[0].number

    assert lantern.SITE.page(DemoRequest(base=BASE, path=f"/articles/{newest + 1}", now=NOW)) is None


def test_a_product_page_offers_it_at_the_price_of_now() -> None:
    product = copper_kettle.content_at(NOW)[5]

    data = block(page(copper_kettle.SITE, product.path).body)

    assert data["offers"]["price"] == str(product.price)
    assert (data["sku"], data["offers"]["priceCurrency"]) == (product.sku, "EUR")


def test_every_price_step_is_a_real_change() -> None:
    before = copper_kettle.content_at(NOW)
    after = copper_kettle.content_at(NOW + timedelta(hours=48))

    assert all(old.price != new.price for old, new in zip(before, after, strict=True))


def test_the_api_leads_from_page_to_page_by_its_next_address() -> None:
    bodies = [json.loads(page(open_posts.SITE, "/api/posts", page=str(number)).body) for number in (1, 2, 3)]

    assert [body["next"] for body in bodies] == [f"{BASE}/api/posts?page=2", f"{BASE}/api/posts?page=3", None]
    assert sum(len(body["items"]) for body in bodies) == bodies[0]["total"] == 60


@pytest.mark.parametrize(
    ("content_at", "at_least", "at_most"),
    [
        pytest.param(lantern.content_at, 300, 400, id="news: every few minutes"),
        pytest.param(open_posts.content_at, 65, 80, id="API: every twenty minutes"),
        pytest.param(copper_kettle.content_at, 20, 28, id="catalogue: hourly"),
        pytest.param(harbour_relief.content_at, 0, 3, id="board: about daily"),
        pytest.param(meridian_labs.content_at, 0, 1, id="table: hardly ever"),
    ],
)
def test_each_site_changes_at_its_own_rate(
    content_at: Callable[[datetime], tuple[object, ...]], at_least: int, at_most: int
) -> None:
    day = [NOW + timedelta(minutes=n) for n in range(0, 24 * 60 + 1, 2)]

    versions = {content_at(moment) for moment in day}

    assert at_least <= len(versions) - 1 <= at_most


def test_the_board_changes_within_a_week_and_the_table_within_a_quarter() -> None:
    assert harbour_relief.content_at(NOW) != harbour_relief.content_at(NOW + timedelta(days=7))
    assert meridian_labs.content_at(NOW) != meridian_labs.content_at(NOW + timedelta(days=90))


@pytest.mark.parametrize("site", SITES, ids=lambda site: site.name)
def test_a_page_has_another_body_only_with_a_later_change(site: Site) -> None:
    path = START_PAGES[site.name]
    pages = [page(site, path, NOW + timedelta(hours=8 * n)) for n in range(60)]

    for before, after in pairwise(pages):
        assert before.changed_at <= after.changed_at
        assert (before.body == after.body) or (before.changed_at < after.changed_at)


@pytest.mark.parametrize("site", SITES, ids=lambda site: site.name)
def test_every_link_of_a_site_leads_to_a_page(site: Site) -> None:
    todo, known = [START_PAGES[site.name]], set()

    while todo:
        link = todo.pop()
        known.add(link)
        path, _, query = link.partition("?")
        answer = page(site, path, NOW, **dict(pair.split("=") for pair in query.split("&") if pair))
        links = set(re.findall(r'href="(/[^"]*)"', answer.body))
        todo += [found for found in links - known - set(todo) if not found.startswith(CLOSED)]

    assert len(known) > 10
    assert all(answered not in known for answered in CLOSED)


@pytest.mark.parametrize("site", SITES, ids=lambda site: site.name)
def test_the_place_that_the_footer_leads_to_is_closed_by_robots(site: Site) -> None:
    footer = page(site, START_PAGES[site.name]).body.partition("<footer>")[2]

    closed = [path for path in CLOSED if f'href="{path}"' in footer]

    assert len(closed) == 1
    assert f"Disallow: {closed[0]}\n" in site.robots
