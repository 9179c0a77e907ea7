"""Which addresses are closed, and what an operator can open."""

import ipaddress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.errors import BadSetting
from lamplighter.rules.urls.addresses import AllowList, is_literal, refused_address


@pytest.mark.parametrize(
    ("ip", "reason"),
    [
        pytest.param("127.0.0.1", "loopback", id="loopback"),
        pytest.param("127.255.255.254", "loopback", id="far end of loopback"),
        pytest.param("10.0.0.1", "private", id="private 10/8"),
        pytest.param("172.31.255.255", "private", id="private 172.16/12"),
        pytest.param("192.168.1.1", "private", id="private 192.168/16"),
        pytest.param("169.254.169.254", "link-local", id="cloud metadata"),
        pytest.param("100.64.0.1", "carrier-grade NAT", id="CGNAT first"),
        pytest.param("100.127.255.255", "carrier-grade NAT", id="CGNAT last"),
        pytest.param("0.0.0.0", "unspecified", id="unspecified"),
        pytest.param("0.1.2.3", "this network", id="this network"),
        pytest.param("192.0.0.8", "protocol assignments", id="protocol assignments"),
        pytest.param("192.0.2.1", "documentation", id="TEST-NET-1"),
        pytest.param("198.51.100.1", "documentation", id="TEST-NET-2"),
        pytest.param("203.0.113.1", "documentation", id="TEST-NET-3"),
        pytest.param("198.19.255.255", "benchmarking", id="benchmarking"),
        pytest.param("192.88.99.1", "6to4 relay", id="6to4 relay"),
        pytest.param("224.0.0.1", "multicast", id="multicast"),
        pytest.param("239.255.255.250", "multicast", id="SSDP multicast"),
        pytest.param("240.0.0.1", "reserved", id="class E"),
        pytest.param("255.255.255.255", "reserved", id="broadcast"),
        pytest.param("::", "unspecified", id="v6 unspecified"),
        pytest.param("::1", "loopback", id="v6 loopback"),
        pytest.param("::127.0.0.1", "IPv4-compatible", id="v4-compatible"),
        pytest.param("::ffff:127.0.0.1", "IPv4-mapped", id="v4-mapped loopback"),
        pytest.param("::ffff:8.8.8.8", "IPv4-mapped", id="v4-mapped public"),
        pytest.param("::ffff:0:8.8.8.8", "IPv4-translated", id="v4-translated"),
        pytest.param("64:ff9b::a9fe:a9fe", "NAT64", id="NAT64 of metadata"),
        pytest.param("64:ff9b::808:808", "NAT64", id="NAT64 of a public address"),
        pytest.param("64:ff9b:1::1", "local NAT64", id="local NAT64"),
        pytest.param("2002:7f00:1::", "6to4", id="6to4 of loopback"),
        pytest.param("2002:808:808::", "6to4", id="6to4 of a public address"),
        pytest.param("2001:0:7f00:1::", "Teredo", id="Teredo"),
        pytest.param("2001:2::1", "benchmarking", id="v6 benchmarking"),
        pytest.param("2001:20::1", "protocol assignments", id="ORCHID"),
        pytest.param("2001:db8::1", "documentation", id="v6 documentation"),
        pytest.param("3fff::1", "documentation", id="newer v6 documentation"),
        pytest.param("100::1", "discard", id="discard only"),
        pytest.param("fd00::1", "unique local", id="fd00::/8"),
        pytest.param("fc00::1", "unique local", id="fc00::/8"),
        pytest.param("fe80::1", "link-local", id="v6 link-local"),
        pytest.param("fe80::1%eth0", "one interface", id="with a zone"),
        pytest.param("fec0::1", "site-local", id="site-local"),
        pytest.param("ff02::1", "multicast", id="v6 multicast"),
        pytest.param("5f00::1", "reserved", id="segment routing"),
        pytest.param("4000::1", "reserved", id="not yet given out"),
        pytest.param("2a00:1450::5efe:7f00:1", "ISATAP", id="ISATAP"),
        pytest.param("2a00:1450::200:5efe:808:808", "ISATAP", id="ISATAP, universal"),
        pytest.param("example.com", "not an IP address", id="a name"),
        pytest.param("127.1", "not an IP address", id="short form"),
        pytest.param("", "not an IP address", id="empty"),
    ],
)
def test_j6_what_is_not_public_unicast_is_refused_with_its_reason(ip: str, reason: str) -> None:
    refusal = refused_address(ip)

    assert refusal is not None
    assert reason in refusal
    assert ip in refusal


@pytest.mark.parametrize(
    "ip",
    [
        *("1.1.1.1", "8.8.8.8", "100.63.255.255", "100.128.0.1", "172.32.0.1", "198.20.0.1", "223.255.255.255"),
        *("2606:4700::1111", "2a00:1450:4001:80b::200e", "2001:4860:4860::8888", "2620:fe::fe"),
    ],
)
def test_public_unicast_is_open(ip: str) -> None:
    assert refused_address(ip) is None


@given(st.ip_addresses())
@settings(deadline=None, max_examples=300)
def test_j6_nothing_is_open_that_python_knows_to_be_closed(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> None:
    is_open = refused_address(str(address)) is None

    assert not is_open or (address.is_global and not address.is_multicast)


@pytest.mark.parametrize(
    ("entries", "hostname", "ip", "port", "permitted"),
    [
        pytest.param("", "localhost", "127.0.0.1", 80, False, id="empty list opens nothing"),
        pytest.param("localhost:8080", "localhost", "127.0.0.1", 8080, True, id="name and port"),
        pytest.param("localhost:8080", "localhost", "127.0.0.1", 5432, False, id="another port stays closed"),
        pytest.param("localhost", "localhost", "127.0.0.1", 5432, True, id="name alone: any port"),
        pytest.param("localhost", "evil.example", "127.0.0.1", 80, False, id="another name for the same address"),
        pytest.param("LocalHost.:80", "localhost", "127.0.0.1", 80, True, id="a name in any spelling"),
        pytest.param("bücher.example", "xn--bcher-kva.example", "10.0.0.1", 80, True, id="an international name"),
        pytest.param("127.0.0.1", "origin.test", "127.0.0.1", 9999, True, id="address: any name and port"),
        pytest.param("127.0.0.1:81", "127.0.0.1", "127.0.0.1", 81, True, id="address and port"),
        pytest.param("127.0.0.1:81", "127.0.0.1", "127.0.0.1", 82, False, id="address, another port"),
        pytest.param("127.1:81", "127.0.0.1", "127.0.0.1", 81, True, id="short form of an address"),
        pytest.param("127.0.0.0/8", "x.test", "127.9.9.9", 1, True, id="network"),
        pytest.param("127.0.0.0/8", "x.test", "128.0.0.1", 1, False, id="outside the network"),
        pytest.param("127.0.0.0/8", "x.test", "::ffff:127.0.0.1", 1, False, id="v4-mapped is not in a v4 network"),
        pytest.param("::1", "x.test", "::1", 1, True, id="v6 address"),
        pytest.param("[::1]:8080", "::1", "::1", 8080, True, id="v6 address and port"),
        pytest.param("[::1]:8080", "::1", "::1", 8081, False, id="v6 address, another port"),
        pytest.param("fd00::/8", "x.test", "fd12::1", 1, True, id="v6 network"),
        pytest.param(" a.test:1 ,, 127.0.0.2 ", "b.test", "127.0.0.2", 7, True, id="blanks and empty entries"),
        pytest.param("127.0.0.0/8", "x.test", "not-an-ip", 1, False, id="no address, no network"),
    ],
)
def test_allow_list_opens_what_it_names_and_no_more(
    entries: str, hostname: str, ip: str, port: int, permitted: bool
) -> None:
    allow_list = AllowList.parse(entries)

    assert allow_list.permits(hostname, ip, port) is permitted


@pytest.mark.parametrize(
    "entry",
    [
        "127.0.0.1/8",
        "10.0.0.0/33",
        "localhost:0",
        "localhost:70000",
        "localhost:http",
        "http://localhost",
        "user@host",
        "a b",
        "[::1",
        "[zz]",
        "1.2.3.4.5",
    ],
)
def test_an_unreadable_entry_is_refused_by_name(entry: str) -> None:
    with pytest.raises(BadSetting) as refusal:
        AllowList.parse(f"localhost,{entry}")

    assert repr(entry) in str(refusal.value)
    assert "host:port" in str(refusal.value)


@pytest.mark.parametrize(
    ("hostname", "literal"),
    [("127.0.0.1", True), ("::1", True), ("example.com", False), ("127.0.0.1.nip.io", False), ("", False)],
)
def test_is_literal_tells_addresses_from_names(hostname: str, literal: bool) -> None:
    assert is_literal(hostname) is literal
