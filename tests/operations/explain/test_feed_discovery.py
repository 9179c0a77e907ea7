"""Feeds and sitemaps are found where they are announced, else where they usually are, and only if they can be read."""

from collections.abc import Sequence
from pathlib import Path

from lamplighter import app
from lamplighter.operations.explain.feed_discovery import FeedFinding, discover
from tests.origin import Answer, Origin
from tests.service.in_process import asked, quick_settings

RSS = b"""<?xml version="1.0"?><rss version="2.0"><channel><title>News</title>
<item><title>One</title><link>/1</link></item><item><title>Two</title><link>/2</link></item></channel></rss>"""
XML = {"Content-Type": "application/rss+xml"}


async def found(folder: Path, origin: Origin, path: str = "/") -> Sequence[FeedFinding]:
    async with app.open_trials(quick_settings(folder, origin)) as tools:
        return [finding async for finding in discover(tools.door, origin.url + path)]


async def test_an_announced_feed_is_read_and_nothing_is_guessed(origin: Origin, tmp_path: Path) -> None:
    origin.page("/", '<link rel=alternate type="application/rss+xml" href="/news.rss"><p>Welcome')
    origin.route("/news.rss", Answer(headers=XML, body=RSS))

    (finding,) = await found(tmp_path, origin)

    assert (finding.type, finding.entries, finding.title, finding.announced_by) == ("feed", 2, "News", "link")
    assert asked(origin) == ["/", "/news.rss"]


async def test_an_announced_feed_that_is_none_is_named_and_usual_paths_are_tried(
    origin: Origin, tmp_path: Path
) -> None:
    origin.page("/", '<link rel=alternate type="application/rss+xml" href="/news.rss"><p>Welcome')
    origin.page("/news.rss", "<h1>Moved</h1>")
    origin.page("/feed", "<h1>Not a feed</h1>")
    origin.route("/rss.xml", Answer(headers=XML, body=RSS))

    findings = await found(tmp_path, origin)

    assert [(finding.url.removeprefix(origin.url), finding.type) for finding in findings] == [
        ("/news.rss", None),
        ("/feed", None),
        ("/rss.xml", "feed"),
    ]
    assert asked(origin) == ["/", "/news.rss", "/feed", "/rss.xml"]


async def test_sitemaps_of_robots_txt_are_read(origin: Origin, tmp_path: Path) -> None:
    origin.robots(f"Sitemap: {origin.url}/map.xml\n")
    origin.page("/", '<link rel=alternate type="application/rss+xml" href="/news.rss">')
    origin.route("/news.rss", Answer(headers=XML, body=RSS))
    entry = f"<url><loc>{origin.url}/1</loc></url>"
    sitemap = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entry}</urlset>'
    origin.route("/map.xml", Answer(headers={"Content-Type": "application/xml"}, body=sitemap.encode()))

    findings = await found(tmp_path, origin)

    assert [(finding.type, finding.announced_by) for finding in findings] == [
        ("feed", "link"),
        ("sitemap", "robots.txt"),
    ]


async def test_a_feed_is_found_at_its_own_address(origin: Origin, tmp_path: Path) -> None:
    origin.route("/feed", Answer(headers=XML, body=RSS))

    (finding,) = await found(tmp_path, origin, "/feed")

    assert finding.type == "feed"


async def test_what_robots_txt_forbids_is_not_tried(origin: Origin, tmp_path: Path) -> None:
    origin.robots("User-agent: *\nDisallow: /feed\nDisallow: /rss\n")
    origin.page("/", "<p>Welcome")

    findings = await found(tmp_path, origin)

    assert not [path for path in asked(origin) if path.startswith(("/feed", "/rss"))]
    assert all(finding.type is None for finding in findings)


async def test_a_host_that_may_not_be_asked_is_not_tried_path_by_path(origin: Origin, tmp_path: Path) -> None:
    async with app.open_trials(quick_settings(tmp_path)) as tools:
        findings = [finding async for finding in discover(tools.door, origin.url + "/")]

    assert [finding.type for finding in findings] == [None]
    assert "LAMPLIGHTER_ALLOW_HOSTS" in (findings[0].detail or "")
    assert origin.log == []
