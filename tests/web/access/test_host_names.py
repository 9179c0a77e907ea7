"""By which names may the server be bound and called?"""

import pytest

from lamplighter.settings import load
from lamplighter.web.access.host_names import is_loopback, netloc


@pytest.mark.parametrize("host", ["127.0.0.1", "127.255.0.3", "::1", "localhost", "LOCALHOST"])
def test_a_loopback_host_keeps_the_service_private(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.2", "example.com", "localhost.example", ""])
def test_any_other_host_would_open_it(host: str) -> None:
    assert not is_loopback(host)


def test_an_ipv6_address_stands_in_brackets() -> None:
    assert netloc(load({}, host="::1", port=8060)) == "[::1]:8060"
