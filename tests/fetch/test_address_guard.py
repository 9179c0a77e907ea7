"""No way around the address guard: every spelling, every name, every hop is judged where the socket is made."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from lamplighter.fetch.address_guard import AddressGuard, AddressRefused
from lamplighter.fetch.body_limits import BodyLimits
from lamplighter.model.visit import Failed, Fault, Fetched, Refusal, Refused, Visit
from lamplighter.rules.urls.addresses import AllowList
from tests.fetch.client_stack import Names, a_client, opened
from tests.origin import Origin, redirect

OriginFactory = Callable[..., Awaitable[Origin]]
PAGE = BodyLimits(max_bytes=64 * 1024)
CONTACT = "https://lamplighter.example/bot"


async def ask(url: str, *allowed: str, names: Names | None = None) -> Visit:
    async with a_client(*allowed, resolver=names) as client:
        return await client.get(url, wanted=PAGE)


def is_address_refused(visit: Visit) -> bool:
    return isinstance(visit, Refused) and visit.reason is Refusal.ADDRESS


# Which addresses, without a socket


@pytest.mark.parametrize(
    "ip",
    [
        pytest.param("127.0.0.1", id="loopback"),
        pytest.param("10.0.0.1", id="private"),
        pytest.param("192.168.0.1", id="home network"),
        pytest.param("169.254.169.254", id="cloud metadata"),
        pytest.param("100.64.0.1", id="carrier-grade NAT"),
        pytest.param("0.0.0.0", id="unspecified"),
        pytest.param("224.0.0.1", id="multicast"),
        pytest.param("::", id="unspecified v6"),
        pytest.param("::1", id="loopback v6"),
        pytest.param("::ffff:127.0.0.1", id="loopback mapped into v6"),
        pytest.param("fd00::1", id="unique local"),
        pytest.param("fe80::1", id="link-local v6"),
        pytest.param("2002:7f00:1::", id="loopback by 6to4"),
        pytest.param("64:ff9b::7f00:1", id="loopback by NAT64"),
        pytest.param("not an address", id="no address at all"),
    ],
)
def test_j6_closed_addresses_are_refused_with_the_way_to_open_them(ip: str) -> None:
    guard = AddressGuard(AllowList())

    with pytest.raises(AddressRefused, match="LAMPLIGHTER_ALLOW_HOSTS"):
        guard.check(ip, 80, hostname="")


@pytest.mark.parametrize("ip", ["93.184.215.14", "2606:4700::1111"])
def test_public_addresses_are_open(ip: str) -> None:
    AddressGuard(AllowList()).check(ip, 443, hostname="")


@pytest.mark.parametrize(
    ("allowed", "hostname", "is_open"),
    [
        pytest.param("127.0.0.1:8000", "127.0.0.1", True, id="by address and port"),
        pytest.param("127.0.0.1:9000", "127.0.0.1", False, id="another port"),
        pytest.param("127.0.0.0/8", "anything.example", True, id="by network"),
        pytest.param("intranet.example:8000", "intranet.example", True, id="by name"),
        pytest.param("intranet.example:8000", "evil.example", False, id="another name for the same address"),
        pytest.param("intranet.example:8000", "", False, id="nobody asked"),
    ],
)
def test_an_opening_holds_for_what_it_names_only(allowed: str, hostname: str, is_open: bool) -> None:
    guard = AddressGuard(AllowList.parse(allowed))

    try:
        guard.check("127.0.0.1", 8000, hostname=hostname)
    except AddressRefused:
        assert not is_open
    else:
        assert is_open


# On the wire


@pytest.mark.parametrize(
    "host",
    [
        pytest.param("127.0.0.1", id="plain"),
        pytest.param("127.1", id="short"),
        pytest.param("2130706433", id="one number"),
        pytest.param("0x7f.0.0.1", id="hexadecimal"),
        pytest.param("0177.0.0.1", id="octal"),
        pytest.param("\uff11\uff12\uff17.0.0.1", id="digits of another width"),
        pytest.param("127.0.0.1.", id="a final dot"),
        pytest.param("0.0.0.0", id="the address that means every one of ours"),
        pytest.param("[::ffff:127.0.0.1]", id="mapped into v6"),
        pytest.param("[::ffff:7f00:1]", id="mapped into v6, hexadecimal"),
    ],
)
async def test_f2_no_spelling_of_loopback_gets_through(origin: Origin, host: str) -> None:
    visit = await ask(f"http://{host}:{origin.port}/")

    assert is_address_refused(visit), visit
    assert origin.log == []


@pytest.mark.parametrize("name", ["localhost", "localhost.", "LOCALHOST", "metadata.google.internal"])
async def test_j6_a_name_that_leads_to_loopback_does_not_get_through(origin: Origin, name: str) -> None:
    names = Names({name.lower().rstrip("."): ["127.0.0.1"]})

    visit = await ask(f"http://{name}:{origin.port}/", names=names)

    assert is_address_refused(visit), visit
    assert origin.log == []


async def test_j6_one_closed_address_among_several_is_never_asked(origin_factory: OriginFactory) -> None:
    closed = await origin_factory()
    opened_one = await origin_factory("127.0.0.2", port=closed.port)
    opened_one.page("/", "hello")
    names = Names({"two.example": ["127.0.0.1", "127.0.0.2"]})

    visit = await ask(f"http://two.example:{closed.port}/", opened_one.address, names=names)

    assert isinstance(visit, Fetched)
    assert closed.log == []


async def test_j6_a_name_with_several_closed_addresses_is_refused_not_failed(origin: Origin) -> None:
    names = Names({"two.example": ["127.0.0.1", "127.0.0.2"]})

    visit = await ask(f"http://two.example:{origin.port}/", names=names)

    assert is_address_refused(visit), visit
    assert origin.log == []


async def test_j6_a_name_that_changes_its_address_is_judged_anew(origin: Origin) -> None:
    addresses = ["127.0.0.1"]
    names = Names({"rebinding.example": addresses})
    origin.page("/", "hello")
    url = f"http://rebinding.example:{origin.port}/"

    async with a_client(origin.address, resolver=names) as client:
        before = await client.get(url, wanted=PAGE)
    addresses[:] = ["127.0.0.2"]
    async with a_client(origin.address, resolver=names) as client:
        after = await client.get(url, wanted=PAGE)

    assert isinstance(before, Fetched)
    assert is_address_refused(after)


async def test_an_opened_origin_is_reached_by_any_spelling(origin: Origin) -> None:
    origin.page("/", "hello")

    visit = await ask(f"http://127.1:{origin.port}/", origin.address)

    assert isinstance(visit, Fetched)
    assert origin.log[0].headers["host"] == origin.address


async def test_j6_only_the_opened_port_is_open(origin_factory: OriginFactory) -> None:
    opened_one, closed = await origin_factory(), await origin_factory()

    visit = await ask(closed.url + "/", opened_one.address)

    assert is_address_refused(visit)
    assert closed.log == []


async def test_j6_a_refusal_does_not_count_as_a_failure_to_connect(origin: Origin) -> None:
    await origin.close()

    visit = await ask(origin.url + "/", origin.address)

    assert isinstance(visit, Failed)
    assert visit.fault is Fault.CONNECT


async def test_j6_a_redirect_to_a_closed_port_is_not_followed(origin_factory: OriginFactory, tmp_path: Path) -> None:
    open_one, closed = await origin_factory(), await origin_factory()
    open_one.route("/", redirect(closed.url + "/secret"))

    async with opened(tmp_path, open_one, contact_url=CONTACT) as door:
        visit = await door.ask(open_one.url + "/")

    assert isinstance(visit, Refused)
    assert "not a public address" in visit.detail
    assert closed.log == []


async def test_j6_a_robots_txt_that_redirects_to_a_closed_port_is_not_had(
    origin_factory: OriginFactory, tmp_path: Path
) -> None:
    open_one, closed = await origin_factory(), await origin_factory()
    open_one.route("/robots.txt", redirect(closed.url + "/robots.txt"))

    async with opened(tmp_path, open_one, contact_url=CONTACT) as door:
        visit = await door.ask(open_one.url + "/")

    assert isinstance(visit, Refused)
    assert visit.reason is Refusal.ROBOTS_UNREACHABLE
    assert closed.log == []
    assert open_one.hits("/") == []


async def test_g5_proxies_of_the_environment_are_not_used(
    origin_factory: OriginFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    origin, proxy = await origin_factory(), await origin_factory()
    origin.page("/", "hello")
    monkeypatch.setenv("http_proxy", proxy.url)
    monkeypatch.setenv("HTTP_PROXY", proxy.url)

    visit = await ask(origin.url + "/", origin.address, proxy.address)

    assert isinstance(visit, Fetched)
    assert proxy.log == []
