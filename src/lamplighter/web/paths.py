"""Redirect targets: only paths of this server."""

from typing import cast
from urllib.parse import SplitResult, urlsplit

_LONGEST_PATH = 2000


def local_path(wanted: str | None) -> str:
    """The requested path if it is local, otherwise the start page."""
    is_ours = (
        wanted is not None
        and len(wanted) <= _LONGEST_PATH
        and wanted.startswith("/")
        and not wanted.startswith("//")
        and "\\" not in wanted
        # Browsers drop line breaks and tabs, and what remains may be another site's URL.
        and wanted.isprintable()
    )
    return cast(str, wanted) if is_ours else "/"


def parts_of(address: str) -> SplitResult:
    """The parsed URL of the caller; the start page's if it is invalid."""
    try:
        return urlsplit(address)
    except ValueError:  # http://[x
        return urlsplit("/")
