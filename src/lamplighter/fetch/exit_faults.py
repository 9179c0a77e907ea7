"""Whose fault is it that a request through a proxy came to nothing: the proxy's, or the site's?

Until the tunnel stands it is the proxy's, unless the proxy itself says that it could not reach the site. Afterwards it
is the site's where only the site can have spoken, and in doubt where a proxy that stalls, dies or lies would look the
same: a TLS handshake that fails by other than an outdated certificate, silence or a hang-up without TLS, an answer
without TLS that bears a proxy's marks. A doubt is settled by asking once more through another exit, and held against
the proxy where there is none.
"""

import asyncio
import ssl
from dataclasses import dataclass

import aiohttp

from lamplighter.fetch.connector import Passage, ProxySays, Stage
from lamplighter.model.visit import Fault
from lamplighter.rules import proxy_blame

#: OpenSSL's words for a certificate that is not valid yet, or no more: nobody would lie with those
_SITES_OWN = frozenset({9, 10})
_LOOKS_LIKE_EITHER = frozenset({Fault.CONNECT, Fault.TIMEOUT, Fault.TLS})


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """Whose fault it is, and why."""

    fault: Fault
    why: str
    #: what it is if it is the site's after all; None without a doubt
    doubt: Fault | None = None
    #: of the answer that leaves a doubt, if it is one
    status: int | None = None


def raise_if_exit_speaks(response: aiohttp.ClientResponse) -> None:
    """Raises when a forwarded request was answered by the proxy in its own name."""
    blame = proxy_blame.of_answer(response.status, response.headers)
    if blame is not None:
        raise ProxySays(blame, status=response.status)


def judge(error: BaseException, fault: Fault, detail: str, passage: Passage, *, is_secure: bool) -> Judged:
    """Whose fault it is; `fault` and `detail` are what it would be without a proxy."""
    match error:
        case ProxySays(blame=blame, status=status) if blame.is_doubtful:
            return Judged(fault=Fault.PROXY, why=_by(passage, blame.why), doubt=fault, status=status)
        case ProxySays(blame=blame):
            return Judged(fault=blame.fault, why=_by(passage, blame.why))
        case aiohttp.ClientHttpProxyError():
            blame = proxy_blame.of_connect(error.status, error.headers or {})
            return Judged(fault=blame.fault, why=_by(passage, blame.why))
    if passage.is_opening:
        return Judged(fault=Fault.PROXY, why=_by(passage, _opening_words(error)))
    is_doubtful = passage.stage is Stage.SECURING or not is_secure
    if not is_doubtful or fault not in _LOOKS_LIKE_EITHER or _is_sites_own(error):
        return Judged(fault=fault, why=_by(passage, detail))
    return Judged(fault=Fault.PROXY, why=_by(passage, f"it or the site failed: {detail}"), doubt=fault)


def _by(passage: Passage, why: str) -> str:
    """The sentence, with the proxy in it and without its credentials."""
    return f"through proxy {passage.exit.id} ({passage.exit.url}): {why}"


def _opening_words(error: BaseException) -> str:
    match error:
        case aiohttp.ClientConnectorDNSError():
            return "the name of the proxy could not be resolved"
        case aiohttp.ClientSSLError() | ssl.SSLError():
            return f"no safe connection to the proxy: {error}"
        case aiohttp.ClientConnectorError():
            return f"the proxy could not be reached: {error.os_error.strerror or error.os_error}"
        case asyncio.TimeoutError():
            return "the proxy opened no connection in time"
        case OSError():
            return f"the proxy could not be reached: {error.strerror or error}"
    return f"the proxy broke off: {type(error).__name__}"


def _is_sites_own(error: BaseException) -> bool:
    """Whether TLS failed by what no proxy would have done."""
    seen = error.certificate_error if isinstance(error, aiohttp.ClientConnectorCertificateError) else error
    return isinstance(seen, ssl.SSLCertVerificationError) and seen.verify_code in _SITES_OWN
