"""Checks the host names under which the web server may be called.

A page of another site can make a browser send requests to this server under a name that resolves to a loopback address
(DNS rebinding), and the browser then lets that page read the response. So a request must use a name that only this
machine has.
"""

from ipaddress import ip_address

from lamplighter.settings import Settings


def is_loopback(host: str) -> bool:
    """Whether a server bound to this host is reachable from this machine only."""
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def netloc(settings: Settings) -> str:
    """The server's own host and port for a URL."""
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return f"{host}:{settings.port}"


def is_own_name(host_header: str) -> bool:
    """Whether a Host header has a loopback name or address, with any port."""
    host, bracket, rest = host_header.partition("]")
    if bracket:
        return is_loopback(host.removeprefix("[")) and (not rest or rest.startswith(":"))
    return is_loopback(host_header.partition(":")[0])
