"""Stores fetched bodies in the archive: equal bodies are stored once, whichever site sent them."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence

from lamplighter import telemetry
from lamplighter.crawl.fetching.page_visits import PageVisit
from lamplighter.model.capture import Capture
from lamplighter.model.page import HeldBody
from lamplighter.model.visit import Fetched
from lamplighter.ports import Archive
from lamplighter.store.engine.database import Database
from lamplighter.store.pages import bodies
from lamplighter.store.pages.bodies import NewBody

log = telemetry.logger("archive")
#: headers about the client, which is us; they are not archived
_PERSONAL = frozenset(
    {b"set-cookie", b"set-cookie2", b"www-authenticate", b"proxy-authenticate", b"authentication-info"}
)


class BodyArchiving:
    """Stores bodies before their pages are stored."""

    def __init__(self, db: Database, archive: Archive) -> None:
        self._db = db
        self._archive = archive
        #: hashes of bodies that are archived, and are about to be in the database
        self._fresh: set[str] = set()
        #: why the archive cannot be written at present; None when it can
        self.trouble: str | None = None

    async def keep(self, visits: Sequence[PageVisit], *, lost: frozenset[str] = frozenset()) -> list[PageVisit]:
        """Stores every fetched body that is new, and returns the visits with their bodies.

        Those in `lost` are stored even if they seem to be known. Of several visits with the same new body the first
        brings it into the database; if that does not happen in time, the others store it again.
        """
        hashes: list[str | None] = []
        come: dict[str, Fetched] = {}
        there: dict[str, NewBody] = {}
        for visited in visits:
            visit, had = visited.visit, visited.page.body
            if not isinstance(visit, Fetched):
                hashes.append(None)
                continue
            body_hash = hashlib.sha256(visit.body).hexdigest()
            hashes.append(body_hash)
            if had is None or had.hash != body_hash or body_hash in lost:
                come.setdefault(body_hash, visit)
                if visited.archived is not None and body_hash not in lost:
                    there[body_hash] = visited.archived
        known, new = await self._put(come, lost, there)
        return [
            visited._replace(body_hash=each, body_key=known.get(each), new_body=new.pop(each, None))
            if each is not None
            else visited
            for visited, each in zip(visits, hashes, strict=True)
        ]

    def stored(self, visits: Iterable[PageVisit]) -> None:
        """Notes that the transactions of these visits are over."""
        for visited in visits:
            if visited.new_body is not None:
                self._fresh.discard(visited.new_body.hash)

    async def _put(
        self, come: Mapping[str, Fetched], lost: frozenset[str], archived: Mapping[str, NewBody]
    ) -> tuple[dict[str, str], dict[str, NewBody]]:
        """The keys of bodies that the database knows, and those that are new to it, by hash."""
        if not come:
            return {}, {}
        known = await self._db.look(lambda db: bodies.known(db, come))
        there = known.keys() | self._fresh
        found = {body_hash: body for body_hash, body in archived.items() if body_hash not in there}
        there |= found.keys()
        missing = [body_hash for body_hash in come if body_hash not in there or body_hash in lost]
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
        self._fresh.update(missing, found)
        return known, found | {
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
    headers = []
    for name, value in visit.headers:
        if name.lower() not in _PERSONAL:
            headers.append((name.decode("latin-1"), value.decode("latin-1")))
    return Capture(url=visit.url, fetched_at=visit.at, status=visit.status, headers=tuple(headers), body=visit.body)
