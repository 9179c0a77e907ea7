"""What the headers of requests and answers say: validators, and text that any database takes."""

from typing import Any

from lamplighter.model.visit import Validators


def conditions(validators: Validators) -> dict[str, str]:
    """The headers by which a site may answer that nothing has changed."""
    if not validators:
        return {}
    headers = {}
    if validators.etag is not None:
        headers["If-None-Match"] = validators.etag
    if validators.last_modified is not None:
        headers["If-Modified-Since"] = validators.last_modified
    return headers


def validators(headers: Any) -> Validators:
    """What an answer can be asked for again by."""
    return Validators(etag=_exact(headers.get("ETag")), last_modified=_exact(headers.get("Last-Modified")))


def robots_tag(headers: Any) -> str | None:
    """All lines of X-Robots-Tag; None when there is none."""
    return text("\n".join(headers.getall("X-Robots-Tag", ()))) or None


def text(value: str | None) -> str | None:
    """A header, or what is said of one, as text that any database takes; bytes that are no UTF-8 are replaced."""
    return value and value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _exact(value: str | None) -> str | None:
    """A header that can be kept and sent back unchanged, or None: an altered validator would be worse than none."""
    return value if text(value) == value else None


def refreshed(sent: Validators, got: Validators) -> Validators:
    """A 304 may bring new validators for the body we hold; what it leaves out stays."""
    return Validators(etag=got.etag or sent.etag, last_modified=got.last_modified or sent.last_modified)
