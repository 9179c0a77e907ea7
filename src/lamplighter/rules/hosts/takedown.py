"""Is this URL on the takedown list? A host covers its subdomains; a URL covers everything below it."""

from collections.abc import Iterable

from lamplighter.errors import BadUrl
from lamplighter.rules.urls import urls


def entry(text: str) -> str:
    """The stored form of a domain or URL prefix: a lower-case hostname, or a normalised URL."""
    stripped = text.strip()
    if "://" in stripped:
        return urls.normalise(stripped)
    remedy = "give example.org (its subdomains are covered) or https://example.org/path/"
    if not stripped or any(character in "/*?#@" for character in stripped):
        raise BadUrl(f"{text!r} is neither a domain nor a URL; {remedy}")
    try:
        hostname = urls.parse(f"http://{stripped}/").hostname
    except BadUrl:
        raise BadUrl(f"{text!r} is neither a domain nor a URL; {remedy}") from None
    if hostname.endswith("."):  # a URL may have such a host, but no domain is called so
        raise BadUrl(f"{text!r} is neither a domain nor a URL; {remedy}")
    return hostname


def hostname(entry: str) -> str:
    """The hostname in every URL that this entry covers."""
    return urls.parse(entry).hostname if "://" in entry else entry


def matching(url: str, entries: Iterable[str]) -> str | None:
    """The entry that covers this URL, or None."""
    hostname = urls.parse(url).hostname
    for candidate in entries:
        if "://" in candidate:
            if url.startswith(candidate):
                return candidate
        elif hostname == candidate or hostname.endswith("." + candidate):
            return candidate
    return None
