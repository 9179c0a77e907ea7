"""Cookies, on the wire: sent back for sources whose recipes ask for them, to those who set them, and to nobody else."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
import structlog

from lamplighter.model.access import Stamp
from lamplighter.model.crawl import RunOutcome
from lamplighter.operations.hosts import purge, takedowns
from lamplighter.store.schema import tables
from tests.changing import set_source
from tests.origin import Answer, Origin, Request
from tests.origin.answers import redirect
from tests.service.in_process import all_rows, asked, crawl, crawl_again, first_run, going, quick_settings, watch
from tests.service.sites import links_html

Origins = Callable[..., Awaitable[Origin]]
KEEP = {"cookies": True}
HTML = {"Content-Type": "text/html"}
SET = "session=s3ss10n; Path=/"


def setting(*lines: str, html: str = "<p>hello</p>") -> Answer:
    """A page that sets cookies."""
    return Answer(headers=HTML, body=html.encode(), cookies=lines)


def sent(origin: Origin, path: str) -> list[str | None]:
    """The Cookie header of every request for a path."""
    return [hit.headers.get("cookie") for hit in origin.hits(path)]


def files(folder: Path) -> list[bytes]:
    """All that was written into a folder."""
    return [path.read_bytes() for path in folder.rglob("*") if path.is_file()]


async def test_without_a_word_in_the_recipe_nothing_is_kept_and_nothing_sent(origin: Origin, tmp_path: Path) -> None:
    origin.route("/jobs", setting(SET, html=links_html("/job/1")))
    origin.page("/job/1", "<p>one</p>")

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/jobs")
        await crawl_again(service, run.source_id, number=2)
        kept = await all_rows(service, tables.source_cookies)

    assert sent(origin, "/jobs") == [None, None]
    assert sent(origin, "/job/1") == [None]
    assert kept == []


async def test_what_the_site_set_comes_back_with_every_later_request_and_after_a_restart(
    origin: Origin, tmp_path: Path
) -> None:
    origin.route("/jobs", setting(SET, html=links_html("/job/1")))
    origin.page("/job/1", "<p>one</p>")

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/jobs", recipe=KEEP)
    async with going(quick_settings(tmp_path, origin)) as service:
        await crawl_again(service, run.source_id, number=2)

    assert sent(origin, "/jobs") == [None, "session=s3ss10n"]
    assert sent(origin, "/job/1")[0] == "session=s3ss10n"
    assert sent(origin, "/robots.txt")[0] is None


async def test_a_cookie_that_a_redirect_sets_goes_along_on_the_same_host_and_not_to_another(
    origin: Origin, origin_factory: Origins, tmp_path: Path
) -> None:
    other = await origin_factory()
    origin.route("/start", Answer(status=302, headers={"Location": "/next"}, cookies=(SET,)))
    origin.route("/next", redirect(other.url + "/end"))
    other.page("/end", "<p>the end</p>")

    async with going(quick_settings(tmp_path, origin, other)) as service:
        await crawl(service, origin.url + "/start", recipe=KEEP, max_depth=0)

    assert sent(origin, "/next") == ["session=s3ss10n"]
    assert sent(other, "/end") == [None]


async def test_two_sources_of_one_host_do_not_share(origin: Origin, tmp_path: Path) -> None:
    numbers = iter(range(10))

    def page(request: Request) -> Answer:
        visitor = request.headers.get("cookie", "nobody")
        lines = () if "cookie" in request.headers else (f"visitor={next(numbers)}; Path=/",)
        return Answer(headers=HTML | {"ETag": f'"{visitor}"'}, body=f"<p>{visitor}</p>".encode(), cookies=lines)

    for path in ("/a", "/b", "/c"):
        origin.route(path, page)

    async with going(quick_settings(tmp_path, origin)) as service:
        runs = [
            await crawl(service, origin.url + path, recipe=recipe, max_depth=0)
            for path, recipe in (("/a", KEEP), ("/b", KEEP), ("/c", {}))
        ]
        for run in runs:
            await crawl_again(service, run.source_id, number=2)

    assert [sent(origin, path) for path in ("/a", "/b", "/c")] == [
        [None, "visitor=0"],
        [None, "visitor=1"],
        [None, None],
    ]


async def test_what_came_with_cookies_says_nothing_to_another_source_about_the_same_page(
    origin: Origin, tmp_path: Path
) -> None:
    origin.page("/page", "<p>shown to you</p>", etag='"one"')
    for path in ("/a", "/b", "/c"):
        origin.page(path, links_html("/page"))

    async with going(quick_settings(tmp_path, origin)) as service:
        for path, recipe in (("/a", KEEP), ("/b", {}), ("/c", KEEP)):
            await crawl(service, origin.url + path, recipe=recipe)

    assert [hit.headers.get("if-none-match") for hit in origin.hits("/page")] == [None, None, None]


async def test_a_page_that_redirects_to_itself_until_its_cookie_comes_back_is_asked_once_more(
    origin: Origin, tmp_path: Path
) -> None:
    def page(request: Request) -> Answer:
        if "cookie" in request.headers:
            return setting(html="<p>welcome</p>")
        return Answer(status=302, headers={"Location": "/jobs"}, cookies=("seen=1",))

    origin.route("/jobs", page)

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/jobs", recipe=KEEP, max_depth=0)

    assert run.outcome is not RunOutcome.FAIL, run.message
    assert sent(origin, "/jobs") == [None, "seen=1"]
    assert min(origin.gaps()) >= 0.05


async def test_a_page_that_redirects_to_itself_for_ever_is_asked_twice_and_no_more(
    origin: Origin, tmp_path: Path
) -> None:
    numbers = iter(range(10))
    origin.route(
        "/jobs", lambda _: Answer(status=302, headers={"Location": "/jobs"}, cookies=(f"seen={next(numbers)}",))
    )

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/jobs", recipe=KEEP, max_depth=0)

    assert "redirect loop" in (run.message or "")
    assert asked(origin) == ["/jobs", "/jobs"]


async def test_a_cookie_stands_readable_nowhere(origin: Origin, tmp_path: Path) -> None:
    origin.route("/jobs", setting("sess10n-name=s3ss10n; Path=/", html=links_html("/job/1")))
    origin.route("/job/1", Answer(status=500, cookies=("sess10n-name=s3ss10n-too; Path=/",)))

    with structlog.testing.capture_logs() as logged:
        async with going(quick_settings(tmp_path, origin)) as service:
            await crawl(service, origin.url + "/jobs", recipe=KEEP)

    assert sent(origin, "/job/1") == ["sess10n-name=s3ss10n"]
    assert not any(
        word in body for body in [*files(tmp_path), str(logged).encode()] for word in (b"s3ss10n", b"sess10n")
    )


async def test_when_the_key_is_lost_the_site_is_asked_as_for_the_first_time(origin: Origin, tmp_path: Path) -> None:
    origin.route("/jobs", setting(SET))

    async with going(quick_settings(tmp_path, origin)) as service:
        run = await crawl(service, origin.url + "/jobs", recipe=KEEP, max_depth=0)
        (tmp_path / "keys").unlink()
        await crawl_again(service, run.source_id, number=2)
        await crawl_again(service, run.source_id, number=3)

    assert sent(origin, "/jobs") == [None, None, "session=s3ss10n"]


async def test_a_purge_forgets_the_cookies_of_a_site(origin: Origin, tmp_path: Path) -> None:
    origin.route("/jobs", setting(SET))

    async with going(quick_settings(tmp_path, origin)) as service:
        await crawl(service, origin.url + "/jobs", recipe=KEEP, max_depth=0)
        now = service.clock.now()
        await service.db.write(lambda db: takedowns.add(db, origin.host, stamp=Stamp("test", now)))
        before = await all_rows(service, tables.source_cookies)
        await purge.purge(service.db, service.storing.archive, origin.host, actor="test", clock=service.clock)
        after = await all_rows(service, tables.source_cookies)

    assert (len(before), len(after)) == (1, 0)


@pytest.mark.parametrize("change", ["asks no more", "deleted"])
async def test_a_sweep_forgets_what_no_source_asks_for(change: str, origin: Origin, tmp_path: Path) -> None:
    origin.route("/jobs", setting(SET))

    async with going(quick_settings(tmp_path, origin)) as service:
        source_id = await watch(service, origin.url + "/jobs", recipe=KEEP, max_depth=0)
        await first_run(service, source_id)
        now = service.clock.now()
        values = {"recipe": {}} if change == "asks no more" else {"deleted_at": now}
        await service.db.write(lambda db: set_source(db, source_id, now=now, **values))
        await service.leading.janitor.sweep()

        assert await all_rows(service, tables.source_cookies) == []
