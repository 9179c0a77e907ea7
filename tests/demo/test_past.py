"""The demo sites of the past: they answer without a network, as they were at that time."""

from datetime import UTC, datetime, timedelta

import pytest

from lamplighter.demo.past import PastEvents, PastWeb
from lamplighter.demo.sites import lantern
from lamplighter.fetch.body_limits import BodyReader
from lamplighter.fetch.transfer import WireRequest

PRESENT = datetime(2026, 3, 14, 9, 26, tzinfo=UTC)
PAST = PastEvents.before(PRESENT)
MERIDIAN, LANTERN, OPEN_POSTS = 8062, 8063, 8065


async def ask(port: int, path: str, at: datetime, **headers: str) -> tuple[int, str]:
    request = WireRequest(
        method="GET",
        url=f"http://127.0.0.1:{port}{path}",
        headers=[f"{name.replace('_', '-')}: {value}".encode() for name, value in headers.items()],
        hostname="127.0.0.1",
        port=port,
        wants=lambda _: BodyReader(1 << 20, None),
    )
    async with PastWeb(8061, PAST, clock=lambda: at) as web:
        head, body = await web.send(request)
    return head.status, body.body().decode() if body is not None else ""


async def test_a_site_shows_what_it_had_then() -> None:
    then = PRESENT - timedelta(days=30)

    status, body = await ask(LANTERN, "/feed.xml", then)

    assert status == 200
    assert all(article.path in body for article in lantern.content_at(then))


async def test_a_page_that_is_known_is_confirmed() -> None:
    known = lantern.content_at(PRESENT)[0].published_at

    status, _ = await ask(LANTERN, "/", PRESENT, If_Modified_Since=f"{known:%a, %d %b %Y %H:%M:%S} GMT")

    assert status == 304


async def test_meridian_labs_was_rebuilt_a_few_days_ago() -> None:
    _, before = await ask(MERIDIAN, "/vacancies", PAST.relaunch - timedelta(seconds=1))
    _, after = await ask(MERIDIAN, "/vacancies", PAST.relaunch)

    assert (before.count("<table"), after.count("<table")) == (12, 1)


@pytest.mark.parametrize(
    ("at", "path", "expected"),
    [
        pytest.param(PAST.outage_from, "/api/posts", 503, id="out of order"),
        pytest.param(PAST.outage_from, "/robots.txt", 200, id="but its robots.txt"),
        pytest.param(PAST.outage_until, "/api/posts", 200, id="and back"),
    ],
)
async def test_open_posts_was_out_of_order_for_a_while(at: datetime, path: str, expected: int) -> None:
    status, _ = await ask(OPEN_POSTS, path, at)

    assert status == expected


async def test_nobody_else_is_asked() -> None:
    with pytest.raises(OSError, match=r"127\.0\.0\.1:8066 is not there"):
        await ask(8066, "/", PRESENT)
