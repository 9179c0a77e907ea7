"""Why a request failed, by the status of the response or the error instead of one; and who caused it, proxy or site."""

import asyncio
import ssl
from dataclasses import dataclass

import aiohttp

from lamplighter.fetch.connector import ConnectStage, ProxyConnection, ProxySays
from lamplighter.model.visit import Fault
from lamplighter.rules.proxies import proxy_blame

#: OpenSSL's codes for a certificate that is not yet or no longer valid: no proxy would forge those
_SITES_OWN = frozenset({9, 10})
_LOOKS_LIKE_EITHER = frozenset({Fault.CONNECT, Fault.TIMEOUT, Fault.TLS, Fault.BROKEN_RESPONSE})


def of_status(status: int, *, has_retry_after: bool) -> Fault:
    """The fault of a response with this status, which is no success and no redirect."""
    if status == 429 or (status == 503 and has_retry_after):
        return Fault.BUSY
    if status >= 500:
        return Fault.SERVER_ERROR
    if status in (404, 410):
        return Fault.NOT_FOUND if status == 404 else Fault.GONE
    return Fault.CLIENT_ERROR if status >= 400 else Fault.BROKEN_RESPONSE


def of_error(error: BaseException) -> tuple[Fault, str]:
    """The fault of an error, as a stable word and as a sentence."""
    match error:
        case ProxySays(status=int(status)):
            return of_status(status, has_retry_after=False), str(error)
        case aiohttp.ClientConnectorDNSError():
            return Fault.DNS, f"{error.host} could not be resolved: {error.os_error}"
        case aiohttp.ClientConnectorCertificateError() | aiohttp.ClientSSLError() | ssl.SSLError():
            return Fault.TLS, f"TLS failed: {error}"
        case aiohttp.ClientConnectorError():
            return (
                Fault.CONNECT,
                f"could not connect to {error.host}:{error.port}: {error.os_error.strerror or error.os_error}",
            )
        case asyncio.TimeoutError():
            return Fault.TIMEOUT, f"timed out: {error}" if str(error) else "timed out"
        case aiohttp.ClientPayloadError():
            return Fault.BROKEN_RESPONSE, f"the body broke off: {error}"
        case aiohttp.ServerDisconnectedError() | aiohttp.ClientOSError() | aiohttp.ClientConnectionResetError():
            return Fault.CONNECT, f"the server closed the connection before it responded: {error}"
        case _:
            return Fault.BROKEN_RESPONSE, f"{type(error).__name__}: {str(error)[:200]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyJudgement:
    """Whose fault it is, and why."""

    fault: Fault
    why: str
    #: the fault if it is the other's after all; None without a doubt
    doubt: Fault | None = None
    #: status of the doubtful response, if there is one
    status: int | None = None


def raise_if_proxy_speaks(response: aiohttp.ClientResponse) -> None:
    """Raises when the proxy itself responded to a forwarded request."""
    blame = proxy_blame.of_answer(response.status, response.headers)
    if blame is not None:
        raise ProxySays(blame, status=response.status)


def judge_through_proxy(
    error: BaseException, fault: Fault, detail: str, route: ProxyConnection, *, is_secure: bool
) -> ProxyJudgement:
    """Whose fault it is, the proxy's or the site's; `fault` and `detail` are what it would be without a proxy.

    Until the tunnel is open it is the proxy's, unless the proxy itself says that it could not reach the site.
    Afterwards it is the site's where only the site can have caused it, and in doubt where a proxy that stalls, dies or
    lies would look the same: a TLS handshake that fails by other than an outdated certificate, a tunnel that is cut,
    without TLS silence, a hang-up or garbage, and a response without TLS that carries a proxy's headers or says that a
    gateway failed. A doubt is settled by a second request through another proxy. Where there is no other it counts
    against the proxy, except a gateway's status, which then counts against the site.
    """
    match error:
        case ProxySays(blame=blame, status=status) if blame.is_doubtful:
            doubt = fault if blame.fault is Fault.PROXY else Fault.PROXY
            return ProxyJudgement(fault=blame.fault, why=_by(route, blame.why), doubt=doubt, status=status)
        case ProxySays(blame=blame):
            return ProxyJudgement(fault=blame.fault, why=_by(route, blame.why))
        case aiohttp.ClientHttpProxyError():
            blame = proxy_blame.of_connect(error.status, error.headers or {})
            return ProxyJudgement(fault=blame.fault, why=_by(route, blame.why))
    if route.is_opening:
        return ProxyJudgement(fault=Fault.PROXY, why=_by(route, _opening_words(error)))
    is_tunnel = is_secure and route.stage is ConnectStage.OPEN
    is_doubtful = _is_cut(error, fault) if is_tunnel else fault in _LOOKS_LIKE_EITHER
    if not is_doubtful or _is_sites_own(error):
        return ProxyJudgement(fault=fault, why=_by(route, detail))
    return ProxyJudgement(fault=Fault.PROXY, why=_by(route, f"it or the site failed: {detail}"), doubt=fault)


def _by(route: ProxyConnection, why: str) -> str:
    """The sentence with the proxy's address, without its credentials."""
    return f"through proxy {route.endpoint.id} ({route.endpoint.url}): {why}"


def _opening_words(error: BaseException) -> str:
    match error:
        case aiohttp.ClientConnectorDNSError():
            return "the name of the proxy could not be resolved"
        case aiohttp.ClientSSLError() | ssl.SSLError():
            return f"no secure connection to the proxy: {error}"
        case aiohttp.ClientConnectorError():
            return f"the proxy could not be reached: {error.os_error.strerror or error.os_error}"
        case asyncio.TimeoutError():
            return "the proxy opened no connection in time"
        case OSError():
            return f"the proxy could not be reached: {error.strerror or error}"
    return f"the proxy broke off: {type(error).__name__}"


def _is_cut(error: BaseException, fault: Fault) -> bool:
    """Whether a tunnel was cut or tampered with, rather than used by the site in a way of its own."""
    return fault in (Fault.CONNECT, Fault.TLS) or isinstance(error, aiohttp.ClientPayloadError)


def _is_sites_own(error: BaseException) -> bool:
    """Whether TLS failed in a way that no proxy would cause."""
    seen = error.certificate_error if isinstance(error, aiohttp.ClientConnectorCertificateError) else error
    return isinstance(seen, ssl.SSLCertVerificationError) and seen.verify_code in _SITES_OWN
