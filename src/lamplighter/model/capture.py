"""What the archive keeps of one answer: what was asked for, when, and what came."""

from dataclasses import dataclass, replace
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Capture:
    """One answer, with its body as we read it: decompressed, and rendered where scripts were allowed."""

    url: str
    fetched_at: datetime
    status: int
    #: as the server sent them, without those that are nobody else's business (see `crawl.archiving`)
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def as_had(self, url: str, *, fetched_at: datetime, status: int) -> "Capture":
        """The same content as another answer that had it; of the first one's headers only the type speaks for both."""
        if (url, fetched_at) == (self.url, self.fetched_at):
            return self
        shared = tuple((name, value) for name, value in self.headers if name.lower() == "content-type")
        return replace(self, url=url, fetched_at=fetched_at, status=status, headers=shared)
