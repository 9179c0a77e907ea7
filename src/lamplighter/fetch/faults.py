"""Which fault a response or an error stands for; and who caused it, proxy or site."""

import os
from dataclasses import dataclass

import pycurl

from lamplighter.fetch.body_limits import BrokenCoding
from lamplighter.fetch.response_head import Head
from lamplighter.fetch.transfer import Stage, TransferFailed
from lamplighter.fetch.transfers import NameNotFound
from lamplighter.model.proxy import ProxyEndpoint
from lamplighter.model.visit import Fault
from lamplighter.rules.proxies import proxy_blame
from lamplighter.rules.proxies.proxy_blame import Blame

#: OpenSSL's codes for a certificate that is not yet or no longer valid: no proxy would forge those
_SITES_OWN = frozenset({9, 10})
_LOOKS_LIKE_EITHER = frozenset({Fault.CONNECT, Fault.TIMEOUT, Fault.TLS, Fault.BROKEN_RESPONSE})
_TLS_CODES = frozenset(
    {
        pycurl.E_SSL_CONNECT_ERROR,
        pycurl.E_PEER_FAILED_VERIFICATION,
        pycurl.E_SSL_CERTPROBLEM,
        pycurl.E_SSL_CIPHER,
        pycurl.E_SSL_CACERT_BADFILE,
        pycurl.E_SSL_INVALIDCERTSTATUS,
        pycurl.E_SSL_ISSUER_ERROR,
    }
)
#: what libcurl says of a connection that ended before the response; the last two when it may not ask a second time
_CUT_OFF = frozenset(
    {
        pycurl.E_GOT_NOTHING,
        pycurl.E_SEND_ERROR,
        pycurl.E_RECV_ERROR,
        pycurl.E_ABORTED_BY_CALLBACK,
        pycurl.E_COULDNT_CONNECT,
    }
)
#: CURLE_PROXY, which pycurl does not name: a SOCKS proxy opened no tunnel
_SOCKS_FAILED = 97
#: libcurl's codes (CURLPX) for SOCKS5 replies (RFC 1928), by the reply
_SOCKS_REPLIES = {19: 5, 20: 1, 21: 4, 22: 3, 23: 2, 24: 6}


class ProxySays(Exception):
    """The proxy itself responded to a forwarded request."""

    def __init__(self, blame: Blame, *, status: int) -> None:
        super().__init__(blame.why)
        self.blame = blame
        self.status = status


def of_status(status: int, *, has_retry_after: bool) -> Fault:
    """The fault of a response with this status, which is no success and no redirect."""
    if status == 429 or (status == 503 and has_retry_after):
        return Fault.BUSY
    if status >= 500:
        return Fault.SERVER_ERROR
    if status in (404, 410):
        return Fault.NOT_FOUND if status == 404 else Fault.GONE
    return Fault.CLIENT_ERROR if status >= 400 else Fault.BROKEN_RESPONSE


def of_error(error: BaseException, *, address: str) -> tuple[Fault, str]:
    """The fault of an error, as a stable word and as a sentence; `address` is that of the site."""
    match error:
        case ProxySays():
            return of_status(error.status, has_retry_after=False), str(error)
        case NameNotFound():
            return Fault.DNS, str(error)
        case BrokenCoding():
            return Fault.BROKEN_RESPONSE, f"the body broke off: {error}"
        case TransferFailed(code=code) if code in _TLS_CODES:
            return Fault.TLS, f"TLS failed: {error}"
        case TransferFailed(code=pycurl.E_COULDNT_CONNECT, stage=Stage.CONNECTING):
            return Fault.CONNECT, f"could not connect to {address}: {_reason(error)}"
        case TransferFailed(code=pycurl.E_OPERATION_TIMEDOUT):
            return Fault.TIMEOUT, f"timed out: {error}"
        case TransferFailed(has_head=True):
            return Fault.BROKEN_RESPONSE, f"the body broke off: {error}"
        case TransferFailed(code=code) if code in _CUT_OFF:
            return Fault.CONNECT, "the server closed the connection before it responded"
        case TimeoutError():
            return Fault.TIMEOUT, "timed out"
        case OSError():
            return Fault.CONNECT, f"could not connect to {address}: {error.strerror or error}"
        case _:
            return Fault.BROKEN_RESPONSE, f"{type(error).__name__}: {str(error)[:200]}"


def _reason(error: TransferFailed) -> str:
    return os.strerror(error.errno) if error.errno else str(error)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyJudgement:
    """Whose fault it is, and why."""

    fault: Fault
    why: str
    #: the fault if it is the other's after all; None without a doubt
    doubt: Fault | None = None
    #: status of the doubtful response, if there is one
    status: int | None = None


def raise_if_proxy_speaks(head: Head) -> None:
    """Raises when the proxy itself responded to a forwarded request."""
    blame = proxy_blame.of_answer(head.status, head.headers)
    if blame is not None:
        raise ProxySays(blame, status=head.status)


def judge_through_proxy(
    error: BaseException, fault: Fault, detail: str, proxy: ProxyEndpoint, *, is_secure: bool
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
            return ProxyJudgement(fault=blame.fault, why=_by(proxy, blame.why), doubt=doubt, status=status)
        case ProxySays(blame=blame):
            return ProxyJudgement(fault=blame.fault, why=_by(proxy, blame.why))
        case TransferFailed(code=code) if code == _SOCKS_FAILED:
            blame = proxy_blame.of_socks(_SOCKS_REPLIES.get(error.proxy_code), str(error))
            return ProxyJudgement(fault=blame.fault, why=_by(proxy, blame.why))
        case TransferFailed(tunnel=Head() as tunnel) if tunnel.status != 200:
            blame = proxy_blame.of_connect(tunnel.status, tunnel.headers)
            return ProxyJudgement(fault=blame.fault, why=_by(proxy, blame.why))
    if _is_opening(error, proxy, is_secure=is_secure):
        return ProxyJudgement(fault=Fault.PROXY, why=_by(proxy, _opening_words(error)))
    is_tunnel = is_secure and not (isinstance(error, TransferFailed) and error.stage is Stage.CONNECTING)
    is_doubtful = _is_cut(error, fault) if is_tunnel else fault in _LOOKS_LIKE_EITHER
    if not is_doubtful or (isinstance(error, TransferFailed) and error.verdict in _SITES_OWN):
        return ProxyJudgement(fault=fault, why=_by(proxy, detail))
    return ProxyJudgement(fault=Fault.PROXY, why=_by(proxy, f"it or the site failed: {detail}"), doubt=fault)


def _by(proxy: ProxyEndpoint, why: str) -> str:
    """The sentence with the proxy's address, without its credentials."""
    return f"through proxy {proxy.id} ({proxy.url}): {why}"


def _is_opening(error: BaseException, proxy: ProxyEndpoint, *, is_secure: bool) -> bool:
    """Whether the connection has not passed the proxy."""
    if not isinstance(error, TransferFailed):
        return isinstance(error, OSError)
    if error.stage is not Stage.CONNECTING:
        return False
    if not is_secure or error.code == pycurl.E_COULDNT_CONNECT:
        return True
    if proxy.protocol == "socks5":
        # libcurl does not say whether the tunnel or TLS behind it took too long; where TLS failed there is a tunnel.
        return error.code not in _TLS_CODES | _CUT_OFF | {pycurl.E_OPERATION_TIMEDOUT}
    return error.tunnel is None


def _opening_words(error: BaseException) -> str:
    match error:
        case NameNotFound():
            return "the name of the proxy could not be resolved"
        case TransferFailed(code=code) if code in _TLS_CODES:
            return f"no secure connection to the proxy: {error}"
        case TransferFailed(code=pycurl.E_COULDNT_CONNECT):
            return f"the proxy could not be reached: {_reason(error)}"
        case TransferFailed(code=pycurl.E_OPERATION_TIMEDOUT):
            return "the proxy opened no connection in time"
        case TimeoutError():
            return "the proxy opened no connection in time"
        case OSError():
            return f"the proxy could not be reached: {error.strerror or error}"
    return f"the proxy broke off: {error}"


def _is_cut(error: BaseException, fault: Fault) -> bool:
    """Whether a tunnel was cut or tampered with, rather than used by the site in a way of its own."""
    has_begun = isinstance(error, BrokenCoding) or (isinstance(error, TransferFailed) and error.has_head)
    return fault in (Fault.CONNECT, Fault.TLS) or (fault is Fault.BROKEN_RESPONSE and has_begun)
