"""Addresses as people type them: without a scheme, and not to their end yet."""

from lamplighter.errors import BadUrl
from lamplighter.rules import urls
from lamplighter.rules.addresses import is_literal


def meant_by(typed: str) -> str:
    """The URL that somebody means who may have left out its scheme."""
    text = typed.strip()
    return text if "://" in text or not text else f"https://{text}"


def is_finished(typed: str) -> bool:
    """Whether an address says its host to the end: `https://example.co` may become example.com with the next key."""
    text = meant_by(typed)
    try:
        hostname = urls.parse(text).hostname
    except BadUrl:
        return False
    is_named = "." in hostname.strip(".") or hostname == "localhost" or is_literal(hostname)
    return is_named and any(sign in text.partition("://")[2] for sign in "/?")
