"""Stores fetched bodies in the archive: equal bodies are stored once, whichever site sent them."""

import hashlib
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from lamplighter import telemetry
from lamplighter.model.capture import Capture
from lamplighter.model.page import HeldBody, Page
from lamplighter.model.visit import Fetched, Visit
from lamplighter.ports import Archive
from lamplighter.store.engine.database import Database
from lamplighter.store.pages import bodies
from lamplighter.store.pages.bodies import NewBody

log = telemetry.logger("archive")
#: headers about the client, which is us; they are not archived
_PERSONAL = frozenset(
    {b"set-cookie", b"set-cookie2", b"www-authenticate", b"proxy-authenticate", b"authentication-info"}
)


class ArchivedBatch(NamedTuple):
    """The bodies of a visit batch."""

    #: page -> hash of the fetched body
    hashes: Mapping[int, str]
    #: hash -> body that was stored for this batch
    new: Mapping[str, NewBody]


class BodyArchiving:
    """Stores bodies for the fetch sink."""

    def __init__(self, db: Database, archive: Archive) -> None:
        self._db = db
        self._archive = archive
        #: why the archive cannot be written at present; None when it can
        self.trouble: str | None = None

    async def keep(self, visits: Iterable[tuple[Page, Visit]], *, lost: frozenset[str] = frozenset()) -> ArchivedBatch:
        """Stores every fetched body that is new; those in `lost` are stored even if they seem to be known."""
        hashes: dict[int, str] = {}
        come: dict[str, Fetched] = {}
        for page, visit in visits:
            if not isinstance(visit, Fetched):
                continue
            body_hash = hashes[page.id] = hashlib.sha256(visit.body).hexdigest()
            if page.body is None or page.body.hash != body_hash or body_hash in lost:
                come.setdefault(body_hash, visit)
        return ArchivedBatch(hashes, await self._put(come, lost))

    async def _put(self, come: Mapping[str, Fetched], lost: frozenset[str]) -> dict[str, NewBody]:
        if not come:
            return {}
        known = await self._db.look(lambda db: bodies.known(db, come)) - lost
        missing = [body_hash for body_hash in come if body_hash not in known]
        try:
            kept = await self._archive.put([_capture(come[body_hash]) for body_hash in missing])
        except OSError as error:
            if self.trouble is None:
                log.error("archive.away", error=str(error))
            self.trouble = str(error)
            raise
        # Also when nothing was missing: another process has stored meanwhile what this one could not.
        if self.trouble is not None:
            log.info("archive.back")
            self.trouble = None
        return {
            body_hash: NewBody(body_hash, where.key, where.segment, where.size, len(come[body_hash].body))
            for body_hash, where in zip(missing, kept, strict=True)
        }


def held(visit: Fetched, body_hash: str, key: str) -> HeldBody:
    """The fetched body as pages keep it."""
    return HeldBody(
        hash=body_hash,
        key=key,
        validators=visit.validators,
        content_type=visit.content_type,
        robots_tag=visit.robots_tag,
        usage=visit.usage,
    )


def _capture(visit: Fetched) -> Capture:
    kept = [each for each in visit.headers if each[0].lower() not in _PERSONAL]
    headers = tuple([(name.decode("latin-1"), value.decode("latin-1")) for name, value in kept])
    return Capture(url=visit.url, fetched_at=visit.at, status=visit.status, headers=headers, body=visit.body)
