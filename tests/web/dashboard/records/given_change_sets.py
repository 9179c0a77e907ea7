"""Change sets for tests to look at."""

from typing import Any

from lamplighter.app import Store
from lamplighter.model.record import RecordKind
from lamplighter.model.source import Source
from lamplighter.store.records import change_sets
from lamplighter.store.schema import tables
from lamplighter.web.view import ServiceView
from tests.web.dashboard.sources.given_changes import a_record, a_run, a_source, changed


async def a_change_set(
    store: Store,
    view: ServiceView,
    name: str,
    *,
    title: str = "Harbour pilot",
    tags: tuple[str, ...] = (),
    price: tuple[float, float] | None = None,
    more: dict[str, tuple[str, str]] | None = None,
) -> Source:
    """A source whose run found a record, or, with a price, changed that of one it knew, and more of it."""
    source = await a_source(store, view, url=f"https://{name}.example/", name=name, tags=tags)
    identity: dict[str, Any] = {"url": f"https://{name}.example/1", "canonical_hash": name, "kind": RecordKind.PRODUCT}
    if price is not None:
        record = await a_record(store, source, title=title, **identity)
    began_at = store.clock.now()
    run_id = await a_run(store, view, source)
    if price is None:
        await a_record(store, source, title=title, **identity)
    else:
        await changed(store, record, run_id, **{"fields.price": price}, **(more or {}))
    now = store.clock.now()

    async def step(db: Any) -> None:
        await change_sets.note_run(
            db,
            run_id,
            source_id=source.id,
            began_at=began_at,
            new=int(price is None),
            is_baseline=False,
            now=now,
        )
        await db.execute(tables.crawl_runs.update().values(finished_at=now, outcome="ok"))

    await store.db.write(step)
    return source
