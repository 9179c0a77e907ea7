"""A sitemap as a source: its pages are visited, its parts are followed, and nothing makes it endless."""

import gzip
from pathlib import Path

from tests.crawl.rounds import all_records, asked, crawl, crawl_again, going, quick_settings
from tests.crawl.sites import posting_html
from tests.origin import Answer, Origin

XML = {"Content-Type": "application/xml"}


def urlset(*urls: str) -> bytes:
    entries = "".join(f"<url><loc>{url}</loc><lastmod>2026-01-02</lastmod></url>" for url in urls)
    return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>'.encode()


def index(*urls: str) -> bytes:
    entries = "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in urls)
    return f'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</sitemapindex>'.encode()


async def test_d8_an_index_that_names_itself_and_a_packed_part_is_read_once(origin: Origin, tmp_path: Path) -> None:
    origin.route("/sitemap.xml", Answer(headers=XML, body=index(origin.url + "/sitemap.xml", origin.url + "/p.xml.gz")))
    part = gzip.compress(urlset(origin.url + "/job/1", origin.url + "/job/2", "https://elsewhere.example/job/3"))
    origin.route("/p.xml.gz", Answer(headers={"Content-Type": "application/gzip"}, body=part))
    for number in (1, 2):
        origin.page(f"/job/{number}", posting_html(number))

    async with going(quick_settings(tmp_path, origin)) as service:
        await crawl(service, origin.url + "/sitemap.xml", max_depth=1)
        found = await all_records(service)

    assert sorted(asked(origin)) == ["/job/1", "/job/2", "/p.xml.gz", "/sitemap.xml"]
    assert [record.title for record in found] == ["Posting 01", "Posting 02"]


async def test_a_plain_list_of_addresses_is_a_sitemap_too(origin: Origin, tmp_path: Path) -> None:
    text = f"{origin.url}/job/1\n{origin.url}/job/2\n"
    origin.route("/sitemap.txt", Answer(headers={"Content-Type": "text/plain"}, body=text.encode()))
    for number in (1, 2):
        origin.page(f"/job/{number}", posting_html(number))

    async with going(quick_settings(tmp_path, origin)) as service:
        await crawl(service, origin.url + "/sitemap.txt", max_depth=1)

    assert asked(origin) == ["/sitemap.txt", "/job/1", "/job/2"]


async def test_a_page_that_the_sitemap_calls_changed_is_asked_for_before_its_rest_is_over(
    origin: Origin, tmp_path: Path
) -> None:
    def sitemap(lastmod: str) -> Answer:
        changed = urlset(origin.url + "/job/1").replace(b"2026-01-02", lastmod.encode())
        unknown = f"<url><loc>{origin.url}/job/2</loc></url></urlset>".encode()
        return Answer(headers=XML, body=changed.replace(b"</urlset>", unknown))

    origin.route("/sitemap.xml", sitemap("2020-01-01"))
    for number in (1, 2):
        origin.page(f"/job/{number}", posting_html(number), etag=f'"{number}"')

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/sitemap.xml", max_depth=1)
        origin.route("/sitemap.xml", sitemap(f"{service.clock.now():%Y-%m-%dT%H:%M:%S.%fZ}"))
        await crawl_again(service, run.source_id, number=2)

    assert len(origin.hits("/job/1")) == 2
    assert len(origin.hits("/job/2")) == 1
