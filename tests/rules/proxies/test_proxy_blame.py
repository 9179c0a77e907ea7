"""Who speaks, when something comes back through a proxy?"""

import pytest

from lamplighter.model.visit import Fault
from lamplighter.rules.proxies import proxy_blame


@pytest.mark.parametrize(
    ("status", "headers", "fault"),
    [
        pytest.param(200, {}, None, id="a page"),
        pytest.param(403, {"Via": "1.1 proxy"}, None, id="a refusal of the site"),
        pytest.param(403, {"X-Squid-Error": "ERR_ACCESS_DENIED 0"}, None, id="a refusal by the site's own Squid"),
        pytest.param(429, {"Proxy-Status": "cdn; error=http_request_denied"}, None, id="a busy site behind a CDN"),
        pytest.param(
            503,
            {"Proxy-Status": "cdn; error=connection_timeout", "Retry-After": "9"},
            None,
            id="who says when to return",
        ),
        pytest.param(500, {"X-Squid-Error": "\xa0"}, None, id="a mark of a blank"),
        pytest.param(500, {"X-Squid-Error": "\udca0"}, None, id="a mark that is no text"),
        pytest.param(429, {}, None, id="a site that is busy"),
        pytest.param(502, {}, Fault.SERVER_ERROR, id="nobody's marks: the site's, unless another proxy gets another"),
        pytest.param(502, {"Retry-After": "9"}, None, id="a gateway that says when to return"),
        pytest.param(407, {}, Fault.PROXY, id="only a proxy wants that"),
        pytest.param(401, {"Proxy-Authenticate": "Basic"}, Fault.PROXY, id="a proxy's question in another status"),
        pytest.param(503, {"X-Squid-Error": "ERR_CACHE_ACCESS_DENIED 0"}, Fault.PROXY, id="Squid denies it"),
        pytest.param(503, {"X-Squid-Error": "ERR_CONNECT_FAIL 111"}, Fault.CONNECT, id="Squid cannot connect"),
        pytest.param(503, {"X-Squid-Error": "ERR_DNS_FAIL 0"}, Fault.DNS, id="Squid knows no such name"),
        pytest.param(200, {"X-Squid-Error": "ERR_ACCESS_DENIED 0"}, Fault.PROXY, id="Squid's own page, served as 200"),
        pytest.param(502, {"Proxy-Status": 'p; error="connection_refused"'}, Fault.CONNECT, id="RFC 9209, refused"),
        pytest.param(504, {"Proxy-Status": "p; error=connection_timeout"}, Fault.TIMEOUT, id="RFC 9209, too slow"),
        pytest.param(500, {"Proxy-Status": "p; error=proxy_internal_error"}, Fault.PROXY, id="RFC 9209, its own"),
        pytest.param(200, {"Proxy-Status": "p; received-status=200"}, None, id="RFC 9209 without an error"),
    ],
)
def test_marks_tell_whose_answer_it_is(status: int, headers: dict[str, str], fault: Fault | None) -> None:
    blame = proxy_blame.of_answer(status, headers)

    assert (blame.fault if blame else None) == fault


@pytest.mark.parametrize(
    ("status", "headers", "is_doubtful"),
    [
        pytest.param(407, {"Proxy-Authenticate": "Basic"}, False, id="only a proxy wants that"),
        pytest.param(401, {"Proxy-Authenticate": "Basic"}, True, id="a site may send any header"),
        pytest.param(500, {"Proxy-Status": "p; error=proxy_internal_error"}, True, id="a CDN of the site says it too"),
        pytest.param(503, {"X-Squid-Error": "ERR_CONNECT_FAIL 111"}, False, id="the site's, whoever says it"),
        pytest.param(504, {}, True, id="a gateway of the proxy's or the site's"),
    ],
)
def test_marks_that_the_site_may_have_set_leave_a_doubt(
    status: int, headers: dict[str, str], is_doubtful: bool
) -> None:
    blame = proxy_blame.of_answer(status, headers)

    assert blame is not None
    assert blame.is_doubtful is is_doubtful


def test_a_tunnel_that_was_not_opened_is_the_proxys_unless_it_says_why() -> None:
    assert proxy_blame.of_connect(403, {}).fault is Fault.PROXY
    assert proxy_blame.of_connect(500, {"Proxy-Status": "p; error=proxy_internal_error"}).is_doubtful is False
    assert proxy_blame.of_connect(502, {}).fault is Fault.PROXY
    assert proxy_blame.of_connect(503, {"X-Squid-Error": "ERR_DNS_FAIL 0"}).fault is Fault.DNS


@pytest.mark.parametrize(
    ("reply", "fault"),
    [
        pytest.param(None, Fault.PROXY, id="it knows us not"),
        pytest.param(1, Fault.PROXY, id="general failure"),
        pytest.param(2, Fault.PROXY, id="against its rules"),
        pytest.param(4, Fault.CONNECT, id="the site is unreachable"),
        pytest.param(5, Fault.CONNECT, id="the site refused"),
    ],
)
def test_a_socks_reply_tells_whose_fault_it_is(reply: int | None, fault: Fault) -> None:
    assert proxy_blame.of_socks(reply, "words").fault is fault
