"""By which names may the web server be called?

A page of another site can make a browser ask this server under a name of its own that leads to a loopback address (DNS
rebinding), and the browser then lets that page read the answer. So a request must call the server by a name that only
this machine gives it.
"""

from ipaddress import ip_address

from lamplighter.settings import Settings


def is_loopback(host: str) -> bool:
    """Whether a server bound to this host can be reached from this machine only."""
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def netloc(settings: Settings) -> str:
    """The server's own address as it stands in a URL."""
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return f"{host}:{settings.port}"


def is_own_name(host_header: str) -> bool:
    """Whether a Host header calls the server by a loopback name or address, with whatever port."""
    host, bracket, rest = host_header.partition("]")
    if bracket:
        return is_loopback(host.removeprefix("[")) and (not rest or rest.startswith(":"))
    return is_loopback(host_header.partition(":")[0])
