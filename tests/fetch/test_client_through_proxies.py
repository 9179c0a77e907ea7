"""One GET through a real proxy: by which exit it arrives, and whose fault it is when it does not."""

from collections.abc import Awaitable, Callable

import pytest

from lamplighter.fetch.body_limits import BodyLimits
from lamplighter.model.proxy import ProxyEndpoint
from lamplighter.model.visit import Failed, Fault, Fetched, Refusal, Refused, Visit
from tests.fetch.client_stack import AGENT, Names, a_client
from tests.origin import Answer, Origin, hang
from tests.origin.certificate import self_signed
from tests.proxies import HttpProxy, Mood, SocksProxy
from tests.proxies.listener import Listener

OriginFactory = Callable[..., Awaitable[Origin]]
PAGE = BodyLimits(max_bytes=64 * 1024)
CANARY = "canary-pw"
EXIT = "127.0.0.11"
KINDS = [pytest.param(HttpProxy, id="HTTP"), pytest.param(SocksProxy, id="SOCKS5")]


def proxy_of(proxy: Listener, **more: object) -> ProxyEndpoint:
    scheme, _, _ = proxy.url.partition("://")
    known = {"id": 7, "protocol": scheme, "address": "127.0.0.1", "port": proxy.port}
    return ProxyEndpoint(**({"username": proxy.username, "password": proxy.password} | known | more))  # type: ignore[arg-type]


async def get(
    proxy: Listener, url: str, *, allowed: str, authorities: bytes | None = None, read: float = 2, **more: object
) -> Visit:
    async with a_client(proxy.address, allowed, connect=2, read=read, total=20, authorities=authorities) as client:
        return await client.get(url, wanted=PAGE, endpoint=proxy_of(proxy, **more))


def failed(visit: Visit) -> Failed:
    assert isinstance(visit, Failed), visit
    return visit


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("is_secure", [False, True])
async def test_a_page_arrives_by_the_proxys_own_address(
    kind: type[Listener], is_secure: bool, origin_factory: OriginFactory
) -> None:
    origin = await origin_factory(tls=is_secure)
    origin.page("/a?b=1", "hello")

    async with kind(exit=EXIT, username="user", password=CANARY) as proxy:
        visit = await get(proxy, origin.url + "/a?b=1", allowed=origin.address, authorities=self_signed().certificate)

    assert isinstance(visit, Fetched), visit
    assert [(hit.peer, hit.path) for hit in origin.log] == [(EXIT, "/a?b=1")]
    assert origin.log[0].headers["user-agent"] == AGENT


async def test_a_proxy_can_be_reached_over_tls(origin_factory: OriginFactory) -> None:
    origin = await origin_factory(tls=True)
    origin.page("/", "hello")

    async with HttpProxy(exit=EXIT, username="user", password=CANARY, tls=self_signed().server) as proxy:
        visit = await get(proxy, origin.url + "/", allowed=origin.address, authorities=self_signed().certificate)

    assert isinstance(visit, Fetched), visit
    assert [hit.peer for hit in origin.log] == [EXIT]


@pytest.mark.parametrize("kind", KINDS)
async def test_credentials_go_to_the_proxy_and_nowhere_else(kind: type[Listener], origin: Origin) -> None:
    origin.page("/", "hello")

    async with kind(exit=EXIT, username="user", password=CANARY) as proxy:
        await get(proxy, origin.url + "/", allowed=origin.address)

    assert not any(name.startswith("proxy-") for hit in origin.log for name in hit.headers)


async def test_the_environment_names_no_proxy_for_us(origin: Origin, monkeypatch: pytest.MonkeyPatch) -> None:
    origin.page("/", "hello")
    async with HttpProxy(exit=EXIT) as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url)

        async with a_client(origin.address) as client:
            await client.get(origin.url + "/", wanted=PAGE)

    assert [hit.peer for hit in origin.log] == ["127.0.0.1"]


@pytest.mark.parametrize("is_secure", [False, True])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mood", [Mood.REFUSE, Mood.STALL, Mood.HANG_UP, Mood.CLOSE, Mood.HALF, Mood.GARBAGE, Mood.CUT])
async def test_a_proxy_that_fails_is_blamed_and_not_the_site(
    kind: type[Listener], mood: Mood, is_secure: bool, origin_factory: OriginFactory
) -> None:
    origin = await origin_factory(tls=is_secure)

    async with kind() as proxy:
        proxy.mood = mood
        visit = await get(proxy, origin.url + "/", allowed=origin.address, authorities=self_signed().certificate)

    assert failed(visit).fault is Fault.PROXY
    assert "proxy 7" in failed(visit).detail
    assert origin.log == []


@pytest.mark.parametrize("is_secure", [False, True])
@pytest.mark.parametrize("kind", KINDS)
async def test_a_dead_proxy_is_blamed(kind: type[Listener], is_secure: bool, origin_factory: OriginFactory) -> None:
    origin = await origin_factory(tls=is_secure)
    async with kind() as proxy:
        pass

    visit = await get(proxy, origin.url + "/", allowed=origin.address)

    assert failed(visit).fault is Fault.PROXY
    assert failed(visit).doubt is None
    assert "could not be reached" in failed(visit).detail


@pytest.mark.parametrize("is_secure", [False, True])
@pytest.mark.parametrize("kind", KINDS)
async def test_a_wrong_password_is_the_proxys_fault_and_is_not_told(
    kind: type[Listener], is_secure: bool, origin_factory: OriginFactory
) -> None:
    origin = await origin_factory(tls=is_secure)

    async with kind(username="user", password="right") as proxy:
        visit = await get(proxy, origin.url + "/", allowed=origin.address, password=CANARY)

    assert failed(visit).fault is Fault.PROXY
    assert failed(visit).doubt is None
    assert CANARY not in repr(visit)


@pytest.mark.parametrize("is_secure", [False, True])
@pytest.mark.parametrize("kind", KINDS)
async def test_a_site_that_the_proxy_says_it_cannot_reach_is_the_sites_fault(
    kind: type[Listener], is_secure: bool, origin_factory: OriginFactory
) -> None:
    origin = await origin_factory(tls=is_secure)

    async with kind() as proxy:
        proxy.mood = Mood.UNREACHABLE
        visit = await get(proxy, origin.url + "/", allowed=origin.address)

    assert failed(visit).fault is Fault.CONNECT


@pytest.mark.parametrize("kind", KINDS)
async def test_a_silent_site_behind_a_proxy_leaves_a_doubt(kind: type[Listener], origin: Origin) -> None:
    origin.route("/", hang())

    async with kind() as proxy:
        visit = await get(proxy, origin.url + "/", allowed=origin.address)

    assert (failed(visit).fault, failed(visit).doubt) == (Fault.PROXY, Fault.TIMEOUT)


async def test_a_silent_site_behind_tls_is_the_sites_fault(origin_factory: OriginFactory) -> None:
    origin = await origin_factory(tls=True)
    origin.route("/", hang())

    async with HttpProxy() as proxy:
        visit = await get(proxy, origin.url + "/", allowed=origin.address, authorities=self_signed().certificate)

    assert failed(visit).fault is Fault.TIMEOUT


async def test_a_proxy_that_plays_the_site_fails_the_handshake_which_leaves_a_doubt(
    origin_factory: OriginFactory,
) -> None:
    origin = await origin_factory(tls=True)

    async with HttpProxy() as proxy:
        proxy.mood = Mood.LIE
        visit = await get(proxy, origin.url + "/", allowed=origin.address, authorities=self_signed().certificate)

    assert (failed(visit).fault, failed(visit).doubt) == (Fault.PROXY, Fault.TLS)


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        pytest.param(HttpProxy, 403, id="403, forwarded"),
        pytest.param(HttpProxy, 429, id="429, forwarded"),
        pytest.param(HttpProxy, 503, id="503, forwarded"),
        pytest.param(SocksProxy, 407, id="407, in a tunnel, where no proxy can have said it"),
    ],
)
async def test_what_the_site_answers_is_the_sites(kind: type[Listener], status: int, origin: Origin) -> None:
    origin.route("/", Answer(status=status))

    async with kind() as proxy:
        visit = await get(proxy, origin.url + "/", allowed=origin.address)

    assert failed(visit).fault is not Fault.PROXY
    assert failed(visit).status == status


@pytest.mark.parametrize("kind", KINDS)
async def test_a_name_that_we_know_to_be_inside_is_refused_and_the_proxy_not_asked(
    kind: type[Listener], origin: Origin
) -> None:
    async with kind() as proxy:
        async with a_client(proxy.address, resolver=Names({"inside.example": ["127.0.0.9"]})) as client:
            visit = await client.get("http://inside.example/", wanted=PAGE, endpoint=proxy_of(proxy))

        assert isinstance(visit, Refused), visit
        assert visit.reason is Refusal.ADDRESS
        assert proxy.asked == []


@pytest.mark.parametrize("kind", KINDS)
async def test_a_proxy_inside_this_network_is_used_only_where_the_settings_name_it(
    kind: type[Listener], origin: Origin
) -> None:
    origin.page("/", "hello")
    async with kind() as proxy, a_client(origin.address) as client:
        stranger = await client.get(origin.url + "/", wanted=PAGE, endpoint=proxy_of(proxy))
        trusted = await client.get(origin.url + "/", wanted=PAGE, endpoint=proxy_of(proxy, is_trusted=True))

    assert failed(stranger).fault is Fault.PROXY
    assert "LAMPLIGHTER_ALLOW_HOSTS" in failed(stranger).detail
    assert isinstance(trusted, Fetched), trusted


async def test_a_password_that_socks_cannot_carry_is_the_proxys_fault(origin: Origin) -> None:
    async with SocksProxy(username="user", password=CANARY) as proxy:
        visit = await get(proxy, origin.url + "/", allowed=origin.address, password=CANARY * 40)

    assert failed(visit).fault is Fault.PROXY
    assert CANARY not in failed(visit).detail
    assert origin.log == []
