"""Who failed when a request through a proxy failed: the proxy itself, or the site behind it?

A proxy is believed when it says by RFC 9209's Proxy-Status or by Squid's own header that the site could not be reached:
the site is then judged as if we had found out ourselves. Any other reply to a request for a tunnel is its own fault.

A response to a forwarded request may carry such headers though the site wrote it, for sites have proxies in front of
them too. So they leave a doubt, as a 502 or 504 without such headers does, and none where the site tells us to stay
away: that must not be bypassed by another proxy.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from lamplighter.model.visit import Fault

_ERROR_PARAMETER = re.compile(r";\s*error\s*=\s*\"?([a-z_]{1,40})")
_SQUID_WORD = re.compile(r"[A-Z_]{1,40}")
#: statuses for which the proxy is never changed
_SITES_OWN = frozenset({403, 429})
#: what a proxy says that cannot reach the site, and a site whose own gateway fails
_GATEWAY = frozenset({502, 504})
#: RFC 9209, section 2.3: errors that are about the site
_STATUS_ERRORS: Mapping[str, Fault] = {
    "dns_timeout": Fault.DNS,
    "dns_error": Fault.DNS,
    "destination_unavailable": Fault.CONNECT,
    "destination_ip_unroutable": Fault.CONNECT,
    "connection_refused": Fault.CONNECT,
    "connection_terminated": Fault.CONNECT,
    "connection_timeout": Fault.TIMEOUT,
    "connection_read_timeout": Fault.TIMEOUT,
    "connection_write_timeout": Fault.TIMEOUT,
    "http_response_timeout": Fault.TIMEOUT,
    "http_response_incomplete": Fault.BROKEN_RESPONSE,
    "tls_protocol_error": Fault.TLS,
    "tls_certificate_error": Fault.TLS,
    "tls_alert_received": Fault.TLS,
}
#: Squid's error pages that are about the site
_SQUID_ERRORS: Mapping[str, Fault] = {
    "ERR_CONNECT_FAIL": Fault.CONNECT,
    "ERR_DNS_FAIL": Fault.DNS,
    "ERR_READ_TIMEOUT": Fault.TIMEOUT,
    "ERR_READ_ERROR": Fault.CONNECT,
    "ERR_ZERO_SIZE_OBJECT": Fault.CONNECT,
    "ERR_SECURE_CONNECT_FAIL": Fault.TLS,
}
#: SOCKS5 (RFC 1928) replies that are about the site
_SOCKS_REPLIES: Mapping[int, Fault] = {3: Fault.CONNECT, 4: Fault.CONNECT, 5: Fault.CONNECT, 6: Fault.TIMEOUT}


@dataclass(frozen=True, slots=True, kw_only=True)
class Blame:
    """Whose fault it is, according to the proxy."""

    #: PROXY when it is the proxy's own
    fault: Fault
    why: str
    #: whether the site itself may have sent it
    is_doubtful: bool = False


def of_answer(status: int, headers: Mapping[str, str]) -> Blame | None:
    """Whether a response to a forwarded request comes from the proxy; None when the site sent it."""
    if status in _SITES_OWN or "Retry-After" in headers:
        return None
    blame = _of_marks(status, headers)
    if blame is None and status in _GATEWAY:
        return Blame(fault=Fault.SERVER_ERROR, why=f"HTTP {status}", is_doubtful=True)
    if blame is None or blame.fault is not Fault.PROXY or status == 407:
        return blame
    return replace(blame, is_doubtful=True)


def _of_marks(status: int, headers: Mapping[str, str]) -> Blame | None:
    if (error := _ERROR_PARAMETER.search(headers.get("Proxy-Status", "").lower())) is not None:
        return _blame(_STATUS_ERRORS.get(error[1]), f"Proxy-Status says {error[1]}", status)
    if (squid := _SQUID_WORD.match(headers.get("X-Squid-Error", ""))) is not None:
        return _blame(_SQUID_ERRORS.get(squid[0]), f"Squid says {squid[0]}", status)
    if status == 407 or "Proxy-Authenticate" in headers:
        return _blame(None, "it requires a user name and password, or others", status)
    return None


def of_connect(status: int, headers: Mapping[str, str]) -> Blame:
    """What a proxy's refusal to open a tunnel means."""
    return _of_marks(status, headers) or _blame(None, "it opened no tunnel", status)


def of_socks(reply: int | None, words: str) -> Blame:
    """What a SOCKS proxy's refusal to connect means; `reply` is None when there was none."""
    fault = _SOCKS_REPLIES.get(reply) if reply is not None else None
    if fault is not None:
        return Blame(fault=fault, why=f"the proxy could not reach the site: {words}")
    return Blame(fault=Fault.PROXY, why=f"the proxy refused to connect: {words}")


def _blame(fault: Fault | None, why: str, status: int) -> Blame:
    if fault is None:
        return Blame(fault=Fault.PROXY, why=f"the proxy itself responded HTTP {status}: {why}")
    return Blame(fault=fault, why=f"the proxy could not reach the site (HTTP {status}): {why}")
