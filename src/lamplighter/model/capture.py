"""A capture: what the archive keeps of one response."""

from dataclasses import dataclass, replace
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Capture:
    """One response, with its body as we read it: decompressed, and rendered where scripts were allowed."""

    url: str
    fetched_at: datetime
    status: int
    #: as the server sent them, without private ones (see `crawl.fetching.body_archiving`)
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def as_had(self, url: str, *, fetched_at: datetime, status: int) -> "Capture":
        """The same content as a capture of another response.

        Of the headers only the content type is kept, which holds for both.
        """
        if (url, fetched_at) == (self.url, self.fetched_at):
            return self
        shared = tuple((name, value) for name, value in self.headers if name.lower() == "content-type")
        return replace(self, url=url, fetched_at=fetched_at, status=status, headers=shared)
