"""Why a request failed: by the status of the response, or by the error instead of one."""

import asyncio
import ssl

import aiohttp

from lamplighter.fetch.connector import ProxySays
from lamplighter.model.visit import Fault


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
        case aiohttp.ServerDisconnectedError() | aiohttp.ClientOSError():
            return Fault.CONNECT, f"the server closed the connection before it responded: {error}"
        case _:
            return Fault.BROKEN_RESPONSE, f"{type(error).__name__}: {str(error)[:200]}"
