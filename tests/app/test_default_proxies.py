"""The default pool, as the settings name it."""

import pytest

from lamplighter import settings
from lamplighter.app.default_proxies import pool_of
from lamplighter.errors import BadSetting


def load(**given: str) -> settings.Settings:
    return settings.load({}, **given)


def test_each_address_says_how_it_is_reached_and_who_we_are_there() -> None:
    pool = pool_of(load(proxies_enabled="true", proxy_urls="http://u:p%40ss@a.example:3128, socks5://b.example:1080,"))

    assert [(each.protocol, each.host, each.port, each.username, each.password) for each in pool] == [
        ("http", "a.example", 3128, "u", "p@ss"),
        ("socks5", "b.example", 1080, None, None),
    ]


def test_what_is_named_and_not_switched_on_is_no_pool() -> None:
    assert pool_of(load(proxy_urls="http://a.example:3128")) == ()
    assert pool_of(load(proxies_enabled="true")) == ()


def test_the_names_of_before_mean_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRAWLER_PROXIES_ENABLED", "true")
    monkeypatch.setenv("CRAWLER_PROXY_URLS", "http://a.example:3128")

    assert [each.host for each in pool_of(settings.load())] == ["a.example"]


@pytest.mark.parametrize(
    ("address", "why"),
    [
        pytest.param(
            "ftp://u:canary@b.example:21", "'ftp' is not one of the protocols http, https, socks5", id="another scheme"
        ),
        pytest.param("http://u:canary@b.example", "needs a scheme and a port", id="no port"),
        pytest.param("u:canary@b.example:80", "needs a scheme and a port", id="no scheme"),
        pytest.param("http://u:canary@b.example:99999", "it cannot be parsed", id="an impossible port"),
    ],
)
def test_an_address_that_cannot_be_used_is_named_by_its_place_alone(address: str, why: str) -> None:
    with pytest.raises(BadSetting) as refused:
        pool_of(load(proxies_enabled="true", proxy_urls=f"http://a.example:3128,{address}"))

    assert "the 2. address of LAMPLIGHTER_PROXY_URLS" in str(refused.value)
    assert why in str(refused.value)
    assert "canary" not in str(refused.value)
