"""What do the pages outside the dashboard say?"""

from tests.web.asgi_client import Ask


async def test_a_site_owner_learns_how_to_keep_us_out(ask: Ask) -> None:
    text = (await ask("/bot")).text

    assert "User-agent: LamplighterBot\nDisallow: /" in text
