"""Sends changed records to the search server, and waits until it confirms them.

A server that accepted a request has not done it yet. So a record leaves the outbox only when the server's task has
succeeded, and only if it has not changed since; after a crash or failure in between, it is sent again. Sending twice
is harmless: each time it is the record's current state, or its deletion.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from functools import partial

from lamplighter import crash_points, telemetry
from lamplighter.crawl.records.index_lease import IndexLease
from lamplighter.errors import LeaseLost
from lamplighter.model.search_index import Document, IndexProgress, IndexRefusal, IndexSendResult, Outcome
from lamplighter.ports import Clock, SearchServer
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.records import index_documents, index_outbox
from lamplighter.store.records.index_outbox import PendingDocument

log = telemetry.logger("index")
#: records sent at once, first and after each refusal: some servers refuse a whole batch for one bad record, and
#: smaller and smaller batches find it
_SIZES = (500, 64, 8, 1)
#: characters sent at once
_CHARACTERS = 4_000_000
MOST_TRIES = 6
FIRST_BACKOFF = timedelta(seconds=2)
_LONGEST_BACKOFF = timedelta(minutes=10)
#: the back-off after a failure that is not the record's fault
SERVER_BACKOFF = timedelta(seconds=15)
#: how long one step waits for a task; the next step checks it again
PATIENCE_SECONDS = 10.0
_LOOK_SECONDS = (0.02, 1.0)


class IndexDeliver:
    """Empties the outbox under the index lease."""

    def __init__(self, db: Database, *, server: SearchServer, lease: IndexLease, clock: Clock) -> None:
        self._db = db
        self._server = server
        self._lease = lease
        self._clock = clock

    async def deliver_all(self) -> int:
        """Sends all due records, and returns their number; raises IndexAway, LeaseLost."""
        delivered = 0
        while await self._confirm():
            batch = await self._next_batch()
            if not batch:
                return delivered
            delivered += len(batch)
            await self._tell(batch)
        return delivered

    async def _next_batch(self) -> list[PendingDocument]:
        """The next records with equal try counts, up to that count's batch size."""
        async with self._db.read() as db:
            found = await index_outbox.due(db, now=self._clock.now(), limit=_SIZES[0])
        tries = found[0].try_count if found else 0
        size = _SIZES[min(tries, len(_SIZES) - 1)]
        return [each for each in found if each.try_count == tries][:size]

    async def _tell(self, batch: Sequence[PendingDocument]) -> None:
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
            # What we sent may be older than what the other process sent.
            now = self._clock.now()
            await self._db.write(lambda db: index_outbox.enter(db, ids, now=now, afresh=True))
            raise

    async def _note(self, ids: set[int], batch: Sequence[PendingDocument], sent: IndexSendResult) -> None:
        crash_points.reached("index.after_send")
        delivered = [each for each in batch if each.record_id in ids and each.record_id not in sent.refused]

        async def write(db: Connection) -> None:
            if sent.ticket is not None:
                await index_outbox.wait_for(db, delivered, ticket=sent.ticket)
            else:
                await index_outbox.settle(db, delivered)
            await self._put_off(db, [each for each in batch if each.record_id in ids], sent.refused)

        await self._lease.write(write)

    async def _confirm(self) -> bool:
        """Checks the tasks of sent records; False while one is still running."""
        async with self._db.read() as db:
            tickets = await index_outbox.tickets(db)
        for ticket in tickets:
            outcome = await self._outcome_of(ticket)
            if outcome is IndexProgress.WAITING:
                return False
            await self._lease.write(partial(self._close, ticket=ticket, outcome=outcome))
        return True

    async def _outcome_of(self, ticket: str) -> Outcome:
        pause, longest = _LOOK_SECONDS
        give_up_at = self._clock.monotonic() + PATIENCE_SECONDS
        while (outcome := await self._server.outcome(ticket)) is IndexProgress.WAITING:
            if self._clock.monotonic() > give_up_at:
                break
            await asyncio.sleep(pause)
            pause = min(2 * pause, longest)
        return outcome

    async def _close(self, db: Connection, ticket: str, outcome: Outcome) -> None:
        sent = await index_outbox.sent_with(db, ticket)
        if isinstance(outcome, IndexRefusal):
            await self._put_off(db, sent, {each.record_id: outcome for each in sent})
        elif outcome is IndexProgress.DONE:
            await index_outbox.settle(db, sent)
        else:
            lost = IndexRefusal("the server knows nothing of it any more", is_final=False)
            await self._put_off(db, sent, {each.record_id: lost for each in sent})

    async def _put_off(
        self, db: Connection, sent: Sequence[PendingDocument], refused: Mapping[int, IndexRefusal]
    ) -> None:
        """Schedules refused records for a retry; parks them after too many tries."""
        now = self._clock.now()
        alike: dict[tuple[IndexRefusal, int], list[PendingDocument]] = {}
        for each in sent:
            if refusal := refused.get(each.record_id):
                alike.setdefault((refusal, each.try_count), []).append(each)
        for (refusal, tries), those in alike.items():
            is_last = refusal.is_final and tries + 1 >= MOST_TRIES
            backoff = min(FIRST_BACKOFF * 2**tries, _LONGEST_BACKOFF) if refusal.is_final else SERVER_BACKOFF
            await index_outbox.put_off(
                db,
                those,
                detail=refusal.reason,
                due_at=now + backoff,
                counts=refusal.is_final,
                parked_at=now if is_last else None,
            )
            said = log.error if is_last else log.warning
            said("index.parked" if is_last else "index.refused", records=len(those), reason=refusal.reason)


def _parts(documents: Sequence[Document]) -> Iterator[list[Document]]:
    """Splits documents by their size."""
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
