"""Tells the search server of records that changed, and waits until it says that it knows.

A server that accepted something has not done it yet. So a record leaves the outbox only when the task behind it has
succeeded, and only if it has not changed since; whatever dies or goes away in between, it is told once more. To be told
twice is no harm: it is the record as it is at that moment, or that it is gone.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from functools import partial

from lamplighter import crash_points, telemetry
from lamplighter.crawl.index_lease import IndexLease
from lamplighter.errors import LeaseLost
from lamplighter.model.search_index import Document, Outcome, Progress, Refusal, Sent
from lamplighter.ports import Clock, SearchServer
from lamplighter.store import index_documents, index_outbox
from lamplighter.store.database import Connection, Database
from lamplighter.store.index_outbox import Pending

log = telemetry.logger("index")
#: records sent at once, first and after each refusal: a batch that has one that the server will not take is refused
#: whole by some servers, and in ever smaller ones that one is found
_SIZES = (500, 64, 8, 1)
#: and as many characters
_CHARACTERS = 4_000_000
MOST_TRIES = 6
_FIRST_REST = timedelta(seconds=2)
_LONGEST_REST = timedelta(minutes=10)
#: before something is tried again that was not refused for what it is
_SERVERS_REST = timedelta(seconds=15)
#: how long one step waits for a task; then others have their turn, and the task is asked for again in the next
_PATIENCE_SECONDS = 10.0
_LOOK_SECONDS = (0.02, 1.0)


class IndexDeliver:
    """Empties the outbox; everything under the lease."""

    def __init__(self, db: Database, *, server: SearchServer, lease: IndexLease, clock: Clock) -> None:
        self._db = db
        self._server = server
        self._lease = lease
        self._clock = clock

    async def deliver_all(self) -> int:
        """Tells of everything that is due, and returns how many records that were; IndexAway, LeaseLost."""
        told = 0
        while await self._confirm():
            batch = await self._next_batch()
            if not batch:
                return told
            told += len(batch)
            await self._tell(batch)
        return told

    async def _next_batch(self) -> list[Pending]:
        """Records that were refused equally often, as many as are sent at once then."""
        async with self._db.read() as db:
            found = await index_outbox.due(db, now=self._clock.now(), limit=_SIZES[0])
        tries = found[0].try_count if found else 0
        size = _SIZES[min(tries, len(_SIZES) - 1)]
        return [each for each in found if each.try_count == tries][:size]

    async def _tell(self, batch: Sequence[Pending]) -> None:
        ids = [each.record_id for each in batch]
        async with self._db.read() as db:
            documents = await index_documents.of(db, ids)
        there = {document.id for document in documents}
        try:
            for part in _parts(documents):
                await self._note({document.id for document in part}, batch, await self._server.put(part))
            if gone := [record_id for record_id in ids if record_id not in there]:
                await self._note(set(gone), batch, await self._server.remove(gone))
        except LeaseLost:
            # What we sent may be older than what the other one did.
            now = self._clock.now()
            await self._db.write(lambda db: index_outbox.enter(db, ids, now=now, afresh=True))
            raise

    async def _note(self, ids: set[int], batch: Sequence[Pending], sent: Sent) -> None:
        crash_points.reached("index.after_send")
        told = [each for each in batch if each.record_id in ids and each.record_id not in sent.refused]

        async def write(db: Connection) -> None:
            if sent.ticket is not None:
                await index_outbox.wait_for(db, told, ticket=sent.ticket)
            else:
                await index_outbox.settle(db, told)
            await self._put_off(db, [each for each in batch if each.record_id in ids], sent.refused)

        await self._lease.write(write)

    async def _confirm(self) -> bool:
        """Asks what came of what was sent; False while something is still under way."""
        async with self._db.read() as db:
            tickets = await index_outbox.tickets(db)
        for ticket in tickets:
            outcome = await self._outcome_of(ticket)
            if outcome is Progress.WAITING:
                return False
            await self._lease.write(partial(self._close, ticket=ticket, outcome=outcome))
        return True

    async def _outcome_of(self, ticket: str) -> Outcome:
        pause, longest = _LOOK_SECONDS
        give_up_at = self._clock.monotonic() + _PATIENCE_SECONDS
        while (outcome := await self._server.outcome(ticket)) is Progress.WAITING:
            if self._clock.monotonic() > give_up_at:
                break
            await asyncio.sleep(pause)
            pause = min(2 * pause, longest)
        return outcome

    async def _close(self, db: Connection, ticket: str, outcome: Outcome) -> None:
        sent = await index_outbox.sent_with(db, ticket)
        if isinstance(outcome, Refusal):
            await self._put_off(db, sent, {each.record_id: outcome for each in sent})
        elif outcome is Progress.DONE:
            await index_outbox.settle(db, sent)
        else:
            lost = Refusal("the server knows nothing of it any more", is_final=False)
            await self._put_off(db, sent, {each.record_id: lost for each in sent})

    async def _put_off(self, db: Connection, sent: Sequence[Pending], refused: Mapping[int, Refusal]) -> None:
        """Those that were refused are sent again later; after many tries not before somebody asks for it."""
        now = self._clock.now()
        alike: dict[tuple[Refusal, int], list[Pending]] = {}
        for each in sent:
            if refusal := refused.get(each.record_id):
                alike.setdefault((refusal, each.try_count), []).append(each)
        for (refusal, tries), those in alike.items():
            is_last = refusal.is_final and tries + 1 >= MOST_TRIES
            rest = min(_FIRST_REST * 2**tries, _LONGEST_REST) if refusal.is_final else _SERVERS_REST
            await index_outbox.put_off(
                db,
                those,
                detail=refusal.reason,
                due_at=now + rest,
                counts=refusal.is_final,
                parked_at=now if is_last else None,
            )
            said = log.error if is_last else log.warning
            said("index.parked" if is_last else "index.refused", records=len(those), reason=refusal.reason)


def _parts(documents: Sequence[Document]) -> Iterator[list[Document]]:
    """Parts that a server will take at once."""
    part: list[Document] = []
    size = 0
    for document in documents:
        length = len(document.title) + len(document.description or "")
        if part and size + length > _CHARACTERS:
            yield part
            part, size = [], 0
        part.append(document)
        size += length
    if part:
        yield part
