import pytest

from lamplighter.errors import BadInput
from lamplighter.rules.proxies.proxy_address import ProxyAddress, masked, parse


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        pytest.param("Proxy.Example", ProxyAddress(host="proxy.example"), id="a host"),
        pytest.param("192.0.2.7", ProxyAddress(host="192.0.2.7"), id="an address"),
        pytest.param("2001:db8::7", ProxyAddress(host="2001:db8::7"), id="an address of six"),
        pytest.param(
            "socks5://anna:p%40ss@proxy.example:1080",
            ProxyAddress(host="proxy.example", protocol="socks5", port=1080, username="anna", password="p@ss"),
            id="a whole URL",
        ),
        pytest.param(
            "anna:pw@proxy.example:8080",
            ProxyAddress(host="proxy.example", port=8080, username="anna", password="pw"),
            id="without a scheme",
        ),
        pytest.param(
            "http://proxy.example/", ProxyAddress(host="proxy.example", protocol="http"), id="with a slash behind it"
        ),
    ],
)
def test_an_address_is_taken_apart(text: str, meant: ProxyAddress) -> None:
    assert parse(text) == meant


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param("ftp://u:hunter2@proxy.example", id="another protocol"),
        pytest.param("http://u:hunter2@proxy.example:99999", id="an impossible port"),
        pytest.param("http://u:hunter2@proxy.example:0", id="a port that nobody can listen on"),
        pytest.param("http://u:hunter2@/", id="no host"),
        pytest.param("http://u:hunter2@proxy.example/path", id="a path"),
        pytest.param("http://u:hunter2%00@proxy.example", id="a NUL in the password"),
        pytest.param("proxy example", id="a space"),
        pytest.param("hunter2\x00", id="a control character"),
        pytest.param("http://u:hunter2@" + "p" * 1000, id="too long"),
    ],
)
def test_what_is_no_address_is_refused_without_repeating_it(text: str) -> None:
    with pytest.raises(BadInput) as refused:
        parse(text)

    assert "hunter2" not in str(refused.value)


def test_a_password_does_not_show_in_what_is_printed() -> None:
    assert "hunter2" not in repr(parse("http://anna:hunter2@proxy.example"))
    assert masked("anna") == "a***"
