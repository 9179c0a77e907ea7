"""What does a site owner learn of us, and what do people read when something went wrong?"""

import shutil
from pathlib import Path

import pytest

from lamplighter.settings import Settings, load
from tests.web.asgi_client import Ask


@pytest.fixture
def settings(tmp_path: Path, migrated_file: Path) -> Settings:
    """An installation whose operator said who they are, and what is kept."""
    shutil.copyfile(migrated_file, tmp_path / "lamplighter.db")
    return load(
        {},
        data_dir=tmp_path,
        user_agent="TideBot/2.0 (+https://tide.example/bot)",
        contact_url="https://tide.example/bot",
        contact_email="crawl@tide.example",
        min_delay_ms=4500,
        robots_ttl_hours=6,
        archive_keep_days=30,
        max_page_kb=2048,
    )


@pytest.mark.parametrize(
    "told",
    [
        "<code>TideBot/2.0 (+https://tide.example/bot)</code>",
        "User-agent: TideBot\nDisallow: /",
        "User-agent: TideBot\nCrawl-delay: 30",
        "at least 4.5 seconds between two requests",
        "after 6 hours at the latest",
        "30 days after a newer one replaced it",
        "up to 2\u202f048 KB of a page",
        '<a href="mailto:crawl@tide.example">',
        '<a href="https://tide.example/bot" rel="noreferrer noopener">',
        "<code>noarchive</code>",
        "<code>TDM-Reservation</code>",
    ],
)
async def test_the_page_about_us_says_what_the_settings_say(ask: Ask, told: str) -> None:
    text = (await ask("/bot")).text

    assert told in text or told in " ".join(text.split())


async def test_the_page_about_us_needs_no_script(ask: Ask) -> None:
    assert "<script" not in (await ask("/bot")).text


@pytest.mark.parametrize(
    ("path", "method", "headers", "status", "told"),
    [
        pytest.param("/nowhere", "GET", {}, 404, "There is no such thing", id="nothing there"),
        pytest.param("/settings/users/nobody/password", "GET", {}, 404, "no user", id="nobody there"),
        pytest.param("/settings", "DELETE", {}, 405, "This cannot be done with it", id="another method"),
        pytest.param("/theme", "POST", {}, 403, "This did not come from one of our own pages", id="another site"),
    ],
)
async def test_what_went_wrong_is_told_to_people_on_a_page(
    ask: Ask, path: str, method: str, headers: dict[str, str], status: int, told: str
) -> None:
    reply = await ask(path, method=method, accept="text/html", **headers)

    assert reply.status == status
    assert reply.headers["content-type"].startswith("text/html")
    assert told in reply.text
    assert 'href="/"' in reply.text


async def test_pages_outside_the_dashboard_keep_the_chosen_look(ask: Ask) -> None:
    dark = ask.with_headers(cookie="lamplighter_theme=dark", accept="text/html")

    pages = [await dark(path) for path in ("/bot", "/login", "/nowhere")]

    assert all('data-theme="dark"' in reply.text for reply in pages)
