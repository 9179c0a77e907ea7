"""Which exit is meant by an address that somebody gives, and what in it must stay secret?"""

import re
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from lamplighter.errors import BadInput

PROTOCOLS = ("http", "https", "socks5")
_LONGEST = 1000
#: a name or an address; what it resolves to is looked at when it is used
_HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9])?|[0-9A-Fa-f:.]{2,45}")
_REMEDY = "give a host such as proxy.example, or a whole URL such as http://proxy.example:8080"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyAddress:
    """The parts of a proxy's address, as far as they were given."""

    host: str
    protocol: str | None = None
    port: int | None = None
    username: str | None = None
    password: str | None = field(default=None, repr=False)


def parse(text: str) -> ProxyAddress:
    """A host, or a URL with everything in it. A refusal never repeats what was given: there may be a password in it."""
    given = text.strip()
    if len(given) > _LONGEST or not given.isprintable():
        raise _refusal("it is no address")
    if "://" not in given and "@" not in given:
        return ProxyAddress(host=_checked_host(given))
    try:
        parts = urlsplit(given if "://" in given else f"//{given}")
        host, port = parts.hostname, parts.port
    except ValueError:
        raise _refusal("it cannot be parsed") from None
    if parts.scheme not in ("", *PROTOCOLS):
        raise _refusal(f"{parts.scheme[:20]!r} is none of {', '.join(PROTOCOLS)}")
    if port == 0:
        raise _refusal("nobody can listen on port 0")
    if parts.path not in ("", "/") or parts.query or parts.fragment:
        raise _refusal("there is more behind the port than an address has")
    return ProxyAddress(
        host=_checked_host(host or ""),
        protocol=parts.scheme or None,
        port=port,
        username=_secret_part(parts.username),
        password=_secret_part(parts.password),
    )


def masked(name: str | None) -> str | None:
    """Enough of a user name to know it again."""
    return None if name is None else f"{name[:1]}***"


def _secret_part(text: str | None) -> str | None:
    """What stands escaped in a URL; it is stored in a database, which takes text only."""
    if not text:
        return None
    plain = unquote(text)
    if not plain.isprintable():
        raise _refusal("its user name or password holds characters that are no text")
    return plain


def _checked_host(host: str) -> str:
    if not _HOST.fullmatch(host):
        raise _refusal("it has no usable host")
    return host.lower()


def _refusal(why: str) -> BadInput:
    return BadInput(f"this proxy_url cannot be used: {why}; {_REMEDY}", code="invalid_url", field="proxy_url")
