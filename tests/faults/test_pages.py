"""Rows E of the fault matrix: pages are read as browsers read them, within bounds, and as they ask to be read."""

import asyncio
import json
from datetime import UTC, datetime

import pytest

from lamplighter.app import Service
from lamplighter.model.crawl import RunOutcome
from tests.faults.conftest import Site
from tests.faults.crawl_outcome import all_crawled, crawled, crawled_again, versions_of
from tests.origin import Answer
from tests.service.in_process import asked
from tests.service.sites import links_html, posting_html

pytestmark = pytest.mark.asyncio(loop_scope="module")

SETTINGS = {"min_delay_ms": 10, "max_page_kb": 16 * 1024}
HTML = {"Content-Type": "text/html"}
MEGABYTE = 1_000_000


async def test_e1_a_page_is_decoded_as_browsers_decode_it(service: Service, site: Site) -> None:
    origin = await site()
    koi8, utf8 = "Лампа", "Лампа"
    pages = {
        "/meta": (b"<meta charset=koi8-r>", koi8.encode("koi8-r"), ""),
        "/comment": (b"<!-- <meta charset=koi8-r> -->", utf8.encode(), ""),
        "/attribute": (b"<a title='<meta charset=koi8-r>'></a>", utf8.encode(), ""),
        "/late": (b" " * 2000 + b"<meta charset=koi8-r>", utf8.encode(), ""),
        "/utf-16": (b"<meta charset=utf-16>", utf8.encode(), ""),
        "/header": (b"<meta charset=utf-8>", koi8.encode("koi8-r"), "; charset=koi8-r"),
        "/mark": (b"", "\ufeff".encode() + utf8.encode(), "; charset=koi8-r"),
    }
    origin.page("/", links_html(*pages))
    for path, (head, title, charset) in pages.items():
        mark, title = (title[:3], title[3:]) if path == "/mark" else (b"", title)
        body = mark + head + posting_html(1, title=f"Posting {path}").encode().replace(b"Posting /", title + b" /")
        origin.route(path, Answer(headers={"Content-Type": f"text/html{charset}"}, body=body))

    seen = await crawled(service, origin.url + "/", max_depth=1)

    assert seen.titles == sorted(f"Лампа {path}" for path in pages)


async def test_e2_pages_made_to_cost_much_are_put_down_and_the_others_are_read(service: Service, site: Site) -> None:
    origin = await site()
    hostile = {
        "/nested": "<div>" * 100_000,
        "/attribute": f'<p title="{"a" * 10 * MEGABYTE}">text</p>',
        "/attributes": f"<p {' '.join(f'a{n}=1' for n in range(100_000))}>text</p>",
        "/formatting": "<b><i><u>" * 3_000 + "<p>" * 3_000,
        "/digits": f"<p>{'1' * 200_000}</p><p>{' 1/' * 100_000}</p><p>{'(' * 100_000}</p>",
    }
    origin.page("/", links_html(*hostile, "/job/1"))
    for path, html in hostile.items():
        origin.page(path, f"<html><body>{html}</body></html>")
    origin.page("/job/1", posting_html(1))

    seen = await crawled(service, origin.url + "/", max_depth=1)
    after = await crawled(service, origin.url + "/job/1", max_depth=0)

    assert seen.titles == ["Posting 01"]
    assert {page.phase for page in seen.pages.values()} <= {"completed", "failed"}
    assert any("elements inside each other" in line for line in seen.log)
    assert any("attributes" in line for line in seen.log)
    assert after.run.outcome is RunOutcome.OK, after.message


async def test_e3_base_is_obeyed_a_refresh_leads_nowhere_and_a_canonical_counts_at_home(
    service: Service, site: Site
) -> None:
    origin, other = await site(), await site()
    other.page("/stolen", posting_html(3))
    base = '<base href="/deep/er/">'
    origin.page("/", links_html("job/1", "/refresh", "/canonical", "/home", head=base))
    origin.page("/deep/er/job/1", posting_html(1))
    refresh = '<meta http-equiv="refresh" content="0; url={}">'.format
    origin.page("/refresh", f"<html><head>{refresh('/refresh')}{refresh('/again')}</head><body>Wait</body></html>")
    for path, canonical in (("/canonical", other.url + "/stolen"), ("/home", "/home?utm_source=x")):
        link = f'<link rel="canonical" href="{canonical}">'
        origin.page(path, posting_html(2, title=path).replace("<head>", f"<head>{link}"))

    seen = await crawled(service, origin.url + "/", max_depth=1)

    assert {record.title: record.url for record in seen.records} == {
        "Posting 01": f"{origin.url}/deep/er/job/1",
        "/canonical": f"{origin.url}/canonical",
        "/home": f"{origin.url}/home",
    }
    assert len(origin.hits("/refresh")) == 1
    assert other.log == []


async def test_e4_whatever_a_page_asks_of_robots_is_done_the_strictest_first(service: Service, site: Site) -> None:
    origin = await site()
    by_header = {
        "/noindex": "noindex",
        "/none": "none",
        "/ours": "lamplighterbot: noindex",
        "/others": "otherbot: noindex",
        "/nosnippet": "nosnippet",
        "/short": "max-snippet:8",
        "/any": "max-snippet:-1",
        "/noarchive": "noarchive",
        "/past": "unavailable_after: 25 Jun 2020 15:00:00 GMT",
        "/future": "unavailable_after: 25 Jun 2030 15:00:00 GMT",
    }
    by_page = {"/meta": "noindex", "/strictest": "index, max-snippet:8, nosnippet"}
    follow = '<a href="/never">on</a>'
    origin.page("/", links_html(*by_header, *by_page, "/nofollow", text='<a href="/never" rel="nofollow">on</a>'))
    for path, submitted in by_header.items():
        origin.page(path, posting_html(1, title=path), headers={"X-Robots-Tag": submitted})
    for path, submitted in by_page.items():
        meta = f'<meta name="robots" content="{submitted}">'
        origin.page(path, posting_html(1, title=path).replace("<head>", f"<head>{meta}"))
    origin.page("/nofollow", f'<html><head><meta name="LamplighterBot" content="nofollow"></head>{follow}</html>')

    seen = await crawled(service, origin.url + "/", max_depth=2)
    kept = await service.storing.archive.get(seen.pages["/noarchive"].body_key)

    described = {record.title: record.description for record in seen.records}
    whole = "Keep lamp 1 lit."
    assert described == {
        "/others": whole,
        "/nosnippet": None,
        "/short": whole[:8],
        "/any": whole,
        "/noarchive": whole,
        "/future": whole,
        "/strictest": None,
    }
    assert "/never" not in asked(origin)
    assert kept is None
    assert await versions_of(service, seen, "/noarchive") == 0
    (future,) = (record for record in seen.records if record.title == "/future")
    assert future.expires_at == datetime(2030, 6, 25, 15, tzinfo=UTC)
    assert "skipped /noindex: the page asks not to be indexed" in seen.log
    assert any("forgotten after 25 Jun 2020" in line for line in seen.log)


async def test_e5_what_changes_by_itself_is_no_change(service: Service, site: Site) -> None:
    origin, plain = await site(), await site()

    def noisy(number: int, page: str) -> Answer:
        noise = (
            f'<input type=hidden name=csrf value="{number * 7919}"><script>var t = {number}</script>'
            f'<!-- made in {number} ms --><style>.ad-{number} {{}}</style><img src="/pixel?{number}">'
        )
        return Answer(headers=HTML, body=page.replace("</body>", f"{noise}</body>").encode())

    origin.route("/job", *(noisy(number, posting_html(1)) for number in range(3)))
    text = f"<html><body><p>{'Lamps are lit at dusk. ' * 20}</p></body></html>"
    plain.route("/about", *(noisy(number, text) for number in range(3)))

    seen = await all_crawled(service, origin.url + "/job", plain.url + "/about", max_depth=0)
    again = await asyncio.gather(*(crawled_again(service, each) for each in seen))

    for before, after, path in zip(seen, again, ("/job", "/about"), strict=True):
        assert (after.run.tally.pages_fetched, after.run.tally.pages_changed) == (1, 0)
        assert after.pages[path].content_hash == before.pages[path].content_hash
    assert (again[0].run.tally.records_updated, again[0].records[0].revision) == (0, 1)


async def test_e6_no_items_where_forty_were_is_an_alarm_and_nothing_is_deleted(service: Service, site: Site) -> None:
    origin = await site()
    jobs = "".join(f'<li class=job><a href="/job/{n}">Lamplighter {n}</a></li>' for n in range(40))
    redesigned = jobs.replace("li class=job", "div").replace("a href", "span data-to").replace("</a", "</span")
    pages = [f"<ul>{jobs}</ul>", *(f"<main>{redesigned}</main><!-- {n} -->" for n in range(4))]
    origin.route("/jobs", *(Answer(headers=HTML, body=f"<html><body>{page}</body></html>".encode()) for page in pages))
    recipe = {"items": "li.job", "fields": {"title": "a", "url": "a@href"}}

    seen = await crawled(service, origin.url + "/jobs", recipe=recipe, kind="job", max_depth=0)
    broken = still_broken = await crawled_again(service, seen)
    for _ in range(2):
        still_broken = await crawled_again(service, still_broken)

    assert len(seen.records) == 40, seen.message
    assert (broken.run.outcome, still_broken.run.outcome) == (RunOutcome.WARN, RunOutcome.WARN)
    assert "extractor may be broken: no records shown where 40 are usual" in broken.message
    assert "items selector 'li.job' matched nothing" in still_broken.message
    assert [record.gone_at for record in still_broken.records] == [None] * 40


async def test_e7_structured_data_is_read_however_it_is_broken(service: Service, site: Site) -> None:
    origin = await site()

    def job(title: str) -> str:
        return json.dumps({"@type": "JobPosting", "title": title, "hiringOrganization": {"name": "Lantern Works"}})

    blocks = {
        "/comments": f"/* ours */ {job('/comments')} // the end",
        "/commas": job("/commas").replace("}}", ",},}"),
        "/graph": f'{{"@graph": [{{"@type": "WebSite"}}, {job("/graph")}]}}',
        "/array": f"[[], null, {job('/array')}]",
        "/wrapped": f"<!-- {job('/wrapped')} -->",
        "/second": '{"hopeless</script><script type="application/ld+json">' + job("/second"),
    }
    origin.page("/", links_html(*blocks))
    for path, block in blocks.items():
        script = f'<script type="application/ld+json">{block}</script>'
        origin.page(path, f"<html><head>{script}</head><body><p>Light the lamps.</p></body></html>")

    seen = await crawled(service, origin.url + "/", max_depth=1)

    assert seen.titles == sorted(blocks)
    assert {record.organisation for record in seen.records} == {"Lantern Works"}
