"""Records for the API to show."""

from collections.abc import Sequence

from lamplighter.app import Store
from lamplighter.model.record import Record
from lamplighter.store import records
from tests.moments import NOON
from tests.store.finds import found
from tests.store.given import a_source, write


async def stored(store: Store, given: Sequence[Record], *, source: str = "a") -> int:
    """Stores records as found by a new source at https://{source}.example/; returns the source's id."""
    source_id = await write(store.db, a_source, source)
    await write(store.db, records.put, [found(source_id, None, record) for record in given], now=NOON)
    return source_id
