"""Parses a proxy address, and separates what must stay secret in it."""

import re
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from lamplighter.errors import BadInput

PROTOCOLS = ("http", "https", "socks5")
_LONGEST = 1000
#: a name or an address; what it resolves to is checked when it is used
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
    """Parses a host or a full URL. An error never repeats the given text: it may contain a password."""
    given = text.strip()
    if len(given) > _LONGEST or not given.isprintable():
        raise _refusal("it is not an address")
    if "://" not in given and "@" not in given:
        return ProxyAddress(host=_checked_host(given))
    try:
        parts = urlsplit(given if "://" in given else f"//{given}")
        host, port = parts.hostname, parts.port
    except ValueError:
        raise _refusal("it cannot be parsed") from None
    if parts.scheme not in ("", *PROTOCOLS):
        raise _refusal(f"{parts.scheme[:20]!r} is not one of the protocols {', '.join(PROTOCOLS)}")
    if port == 0:
        raise _refusal("port 0 cannot be used")
    if parts.path not in ("", "/") or parts.query or parts.fragment:
        raise _refusal("there is text after the port")
    return ProxyAddress(
        host=_checked_host(host or ""),
        protocol=parts.scheme or None,
        port=port,
        username=_secret_part(parts.username),
        password=_secret_part(parts.password),
    )


def masked(name: str | None) -> str | None:
    """Enough of a user name to recognise it."""
    return None if name is None else f"{name[:1]}***"


def _secret_part(text: str | None) -> str | None:
    """The unescaped user name or password; the database stores text only."""
    if not text:
        return None
    plain = unquote(text)
    if not plain.isprintable():
        raise _refusal("its user name or password holds characters that are not text")
    return plain


def _checked_host(host: str) -> str:
    if not _HOST.fullmatch(host):
        raise _refusal("it has no usable host")
    return host.lower()


def _refusal(why: str) -> BadInput:
    return BadInput(f"this proxy_url cannot be used: {why}; {_REMEDY}", code="invalid_url", field="proxy_url")
