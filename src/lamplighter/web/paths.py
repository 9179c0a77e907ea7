"""Where a page may send its visitor: to a path of ours, whatever was asked for."""

from typing import cast
from urllib.parse import SplitResult, urlsplit

_LONGEST_PATH = 2000


def local_path(wanted: str | None) -> str:
    """The path that was asked for if it is one of ours, the start page otherwise."""
    is_ours = (
        wanted is not None
        and len(wanted) <= _LONGEST_PATH
        and wanted.startswith("/")
        and not wanted.startswith("//")
        and "\\" not in wanted
        # Browsers leave out line ends and tabs, and what is left may be another site's address.
        and wanted.isprintable()
    )
    return cast(str, wanted) if is_ours else "/"


def parts_of(address: str) -> SplitResult:
    """The parts of an address that somebody sent; those of the start page's when it cannot be read."""
    try:
        return urlsplit(address)
    except ValueError:  # http://[x
        return urlsplit("/")
