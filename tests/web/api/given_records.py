"""Records for the API to show."""

from collections.abc import Sequence
from datetime import UTC, date, datetime

from lamplighter.app import Store
from lamplighter.model.record import Record, RecordKind
from lamplighter.store.records import records
from tests.moments import NOON
from tests.store.given_rows import a_source, write
from tests.store.records.given_records import found, posting

MARCH, APRIL = datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 4, 1, tzinfo=UTC)


JOBS = (
    posting(
        1,
        title="Water engineer",
        organisation="Relief",
        country_iso="KE",
        language="en",
        deadline=date(2026, 5, 1),
        published_at=MARCH,
        fields={"level_norm": "senior", "mission_tags": ["water", "health"], "career_type": "full_time, temporary"},
    ),
    posting(
        2,
        title="Writer",
        description="Writes about water & <b>wells</b>.",
        country_iso="CH",
        language="fr-CH",
        deadline=date(2026, 6, 1),
        published_at=APRIL,
        fields={"level_norm": "junior", "work_modality": "remote", "international_eligible": True},
    ),
)

PRODUCTS = (
    posting(
        3,
        kind=RecordKind.PRODUCT,
        title="Lamp",
        fields={"price": 19.9, "currency": "EUR", "brand": "Lux", "availability": "in_stock"},
    ),
    posting(4, kind=RecordKind.PRODUCT, title="Lantern", fields={"price": 100, "currency": "USD", "brand": "Nox"}),
)


async def stored(store: Store, given: Sequence[Record], *, source: str = "a") -> int:
    """Stores records as found by a new source at https://{source}.example/; returns the source's id."""
    source_id = await write(store.db, a_source, source)
    await write(store.db, records.put, [found(source_id, None, record) for record in given], now=NOON)
    return source_id
