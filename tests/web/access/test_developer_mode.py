"""On a developer's machine: whoever is on it may do everything, and nobody else."""

import shutil
from pathlib import Path

import pytest

from lamplighter.settings import Settings, load
from tests.web.asgi_client import Ask

ME = "/api/v1/me"


@pytest.fixture
def settings(tmp_path: Path, migrated_file: Path) -> Settings:
    """An installation without a secret."""
    shutil.copyfile(migrated_file, tmp_path / "lamplighter.db")
    return load({}, data_dir=tmp_path)


async def test_whoever_is_on_this_machine_is_admin(ask: Ask) -> None:
    assert (await ask(ME)).json == {"name": "local", "role": "admin"}


@pytest.mark.parametrize(
    "said",
    [
        pytest.param({"client": "192.0.2.7"}, id="another machine"),
        pytest.param({"client": "0.0.0.0"}, id="no address of this machine"),
        pytest.param({"client": "testclient"}, id="no address at all"),
        pytest.param({"authorization": "Bearer wrong"}, id="a wrong bearer"),
        pytest.param({"cookie": "lamplighter_session=wrong"}, id="a wrong session"),
    ],
)
async def test_nobody_else_is(ask: Ask, said: dict[str, str]) -> None:
    assert (await ask(ME, **said)).status == 401


async def test_a_session_that_is_over_is_forgotten_by_the_browser(ask: Ask) -> None:
    reply = await ask("/", accept="text/html", cookie="lamplighter_session=old")

    assert reply.status == 303
    assert reply.headers["set-cookie"].startswith('lamplighter_session="";')


async def test_another_site_cannot_use_the_developers_browser(ask: Ask) -> None:
    path, body = "/api/v1/tokens", {"name": "stolen", "role": "admin"}

    by_program = await ask.post(path, body)
    by_foreign_page = [
        await ask.post(path, body, sec_fetch_site="cross-site", origin="http://evil.example"),
        await ask.post(path, body, sec_fetch_site="cross-site"),
        await ask.post(path, body, sec_fetch_site="same-site", origin="http://127.0.0.1:9999"),
        await ask.post(path, body, origin="null"),
    ]

    assert by_program.status == 201
    assert [reply.status for reply in by_foreign_page] == [403] * 4
    assert by_foreign_page[0].json["code"] == "foreign_sender"


@pytest.mark.parametrize(
    "said",
    [
        pytest.param({"x_forwarded_for": "192.0.2.7"}, id="somebody behind a proxy"),
        pytest.param({"forwarded": "for=192.0.2.7"}, id="somebody behind a proxy that keeps to the standard"),
        pytest.param({"x_forwarded_proto": "https"}, id="a proxy that tells of TLS alone"),
        pytest.param({"via": "1.1 proxy"}, id="a proxy that names itself"),
        pytest.param({"http_version": "1.0"}, id="nginx as it comes: no header at all, but HTTP/1.0"),
        pytest.param({"host": "lamp.example.org"}, id="a name that is not this machine's"),
        pytest.param({"origin": "https://lamp.example.org"}, id="a page of a public name"),
        pytest.param(
            {"origin": "https://lamp.example.org", "sec_fetch_site": "same-origin"}, id="our own page, by a public name"
        ),
        pytest.param({"referer": "https://lamp.example.org/sources"}, id="a link on a page of a public name"),
    ],
)
async def test_a_sign_of_a_proxy_ends_it_for_everybody_and_names_the_remedy(ask: Ask, said: dict[str, str]) -> None:
    first = await ask(ME, **said)
    after = await ask(ME)
    created = await ask.post("/api/v1/users", {"name": "eve", "password": "four plain words together", "role": "admin"})
    shown = await ask("/login")

    assert first.status in (400, 401)
    assert (after.status, created.status) == (401, 401)
    assert "LAMPLIGHTER_AUTH_JWT_SECRET" in after.json["detail"]
    assert "LAMPLIGHTER_AUTH_JWT_SECRET" in shown.text
    assert "no login is needed" not in shown.text


@pytest.mark.parametrize(
    "said",
    [
        pytest.param({"origin": "http://evil.example", "sec_fetch_site": "cross-site"}, id="a page of another site"),
        pytest.param(
            {"referer": "https://search.example/", "sec_fetch_site": "cross-site"}, id="a link of another site"
        ),
        pytest.param({"origin": "null"}, id="a page that hides"),
        pytest.param({"origin": "http://localhost:8060"}, id="our own page"),
        pytest.param({"referer": "http://127.0.0.1:8060/sources"}, id="a link of our own"),
    ],
)
async def test_what_a_local_browser_says_does_not_end_it(ask: Ask, said: dict[str, str]) -> None:
    await ask(ME, **said)

    assert (await ask(ME)).status == 200
