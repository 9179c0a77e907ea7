"""A sitemap as a source: its pages are visited, its parts are followed, and nothing makes it endless."""

from pathlib import Path

from tests.origin import Answer, Origin
from tests.service.in_process import asked, crawl, crawl_again, going, quick_settings
from tests.service.sites import posting_html

XML = {"Content-Type": "application/xml"}


def urlset(*urls: str) -> bytes:
    entries = "".join(f"<url><loc>{url}</loc><lastmod>2026-01-02</lastmod></url>" for url in urls)
    return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>'.encode()


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
