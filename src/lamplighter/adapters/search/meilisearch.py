"""Records in Meilisearch: one index, whose tasks are confirmed before anything counts as delivered."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from lamplighter.adapters.search import meilisearch_query, search_attributes
from lamplighter.adapters.search.search_attributes import CLAIMS, FACETS, FRACTIONS, ID, NUMBERS, SORTABLE, STAMP, WORDS
from lamplighter.adapters.search.search_http import SearchClient, SearchResponse, SearchTimeouts, reason_in
from lamplighter.model.record_search import Hit, Hits, RecordOrder
from lamplighter.model.search_index import (
    Document,
    IndexedRecord,
    IndexProgress,
    IndexQuery,
    IndexRefusal,
    IndexSendResult,
    Outcome,
)
from lamplighter.ports import IndexAway

_FIRST_LOOK_SECONDS = 0.02
_LONGEST_LOOK_SECONDS = 1.0
#: longest time for one batch of documents when an index is rebuilt
_FILL_SECONDS = 900.0
#: An index that lacks what a search needs: it was wiped, or created by the first document that came.
_UNFIT = frozenset({"index_not_found", "invalid_search_filter", "invalid_search_sort", "invalid_search_facets"})

SETTINGS: Mapping[str, Any] = {
    # Most important first.
    "searchableAttributes": ["title", "organisation", "location_raw", "description"],
    "filterableAttributes": sorted({*WORDS, *NUMBERS, *FRACTIONS, *CLAIMS} - {"title_order", STAMP}),
    "sortableAttributes": sorted(SORTABLE),
    "rankingRules": ["sort", "words", "proximity", "attribute", "exactness", f"{ID}:desc"],
    # The other engines match what was typed, not similar words.
    "typoTolerance": {"enabled": False},
    # Totals end here, too.
    "pagination": {"maxTotalHits": 100_000_000},
    "faceting": {"maxValuesPerFacet": 200, "sortFacetValuesBy": {"*": "count"}},
}


class Meilisearch(SearchClient):
    """A Meilisearch server, version 1.8 or later."""

    def __init__(self, url: str, *, key: str | None, prefix: str, patience: SearchTimeouts | None = None) -> None:
        self._index = f"{prefix}_records"
        self._is_ready = False
        authorization = f"Bearer {key}" if key else None
        super().__init__(url, authorization, engine="meilisearch", index=self._index, patience=patience)

    async def search(self, query: IndexQuery, order: RecordOrder) -> Hits:
        """A page of hits, with an exact total."""
        window = meilisearch_query.window_of(order)
        found = await self._search(meilisearch_query.search(query, order, window))
        by_relevance = search_attributes.is_by_relevance(query, order)
        part = found["hits"][window.skipped : window.skipped + order.limit]
        page = [Hit(hit[ID], hit["_rankingScore"] if by_relevance else None) for hit in part]
        return Hits(page, found["totalHits"])

    async def facets(self, query: IndexQuery, names: Sequence[str], *, most: int) -> dict[str, list[tuple[Any, int]]]:
        """Counts of values."""
        found = await self._search(meilisearch_query.facets(query, [FACETS[name] for name in names]))
        counted = {name: found["facetDistribution"].get(FACETS[name], {}) for name in names}
        return {name: _most_frequent(name, counts, most) for name, counts in counted.items()}

    async def prepare(self) -> bool:
        """Creates the index and applies our settings, where that was not done."""
        await self._make(self._index)
        self._is_ready, self._unfit = True, None
        return True

    async def put(self, documents: Sequence[Document]) -> IndexSendResult:
        """Sends documents; a task tells the result later."""
        if not self._is_ready:
            # Otherwise the first document would create an index without our settings.
            await self.prepare()
        return await self._put(self._index, documents)

    async def remove(self, ids: Sequence[int]) -> IndexSendResult:
        """Sends ids to be deleted."""
        answer = await self._ask("POST", f"/indexes/{self._index}/documents/delete-batch", list(ids))
        return _sent(answer, ids)

    async def outcome(self, ticket: str) -> Outcome:
        """The state of a task. What is enqueued or being processed is not in the index yet."""
        number, _, enqueued = ticket.partition("@")
        answer = await self._ask("GET", f"/tasks/{number}")
        # A server that lost everything numbers its tasks from the beginning again.
        is_another = answer.status == 404 or _second(answer.body) != enqueued
        return IndexProgress.LOST if is_another else _outcome(answer.body)

    @asynccontextmanager
    async def anew(self) -> AsyncIterator["_Filling"]:
        """A second index, swapped with the first at the end."""
        spare = f"{self._index}_new"
        await self._drop(spare)
        await self._make(spare)
        try:
            yield _Filling(self, spare)
            await self._make(self._index)
            await self._done(await self._ask("POST", "/swap-indexes", [{"indexes": [self._index, spare]}]))
            self._is_ready, self._unfit = True, None
        finally:
            await self._drop(spare)

    async def held(self, *, after: int, limit: int) -> list[IndexedRecord]:
        """The documents in the index."""
        found = await self._search(meilisearch_query.held(after=after, limit=limit))
        return [IndexedRecord(hit[ID], hit[STAMP]) for hit in found["hits"]]

    async def count(self) -> int:
        """The number of documents."""
        answer = await self._ask("GET", f"/indexes/{self._index}/stats")
        return int(answer.body["numberOfDocuments"]) if answer.status == 200 else 0

    async def fill(self, index: str, documents: Sequence[Document]) -> Mapping[int, IndexRefusal]:
        """Puts documents into an index and waits for the result."""
        sent = await self._put(index, documents)
        if sent.ticket is None:
            return sent.refused
        outcome = await self._outcome_of(sent.ticket, seconds=_FILL_SECONDS)
        return {document.id: outcome for document in documents} if isinstance(outcome, IndexRefusal) else {}

    async def _put(self, index: str, documents: Sequence[Document]) -> IndexSendResult:
        rows = [_row(document) for document in documents]
        answer = await self._ask("POST", f"/indexes/{index}/documents?primaryKey={ID}", rows)
        return _sent(answer, [document.id for document in documents])

    async def _search(self, body: dict[str, Any]) -> Any:
        seconds = self._http.patience.search
        answer = await self._http.ask("POST", f"/indexes/{self._index}/search", body, seconds=seconds)
        if answer.status == 200:
            self._unfit = None
            return answer.body
        if answer.body.get("code") in _UNFIT:
            self._is_ready = False
        raise self._not_fit(reason_in(answer))

    async def _make(self, index: str) -> None:
        answer = await self._ask("GET", f"/indexes/{index}")
        if answer.status == 404:
            made = await self._ask("POST", "/indexes", {"uid": index, "primaryKey": ID})
            await self._done(made, unless="index_already_exists")
        found = (await self._ask("GET", f"/indexes/{index}/settings")).body
        if not _includes(found, SETTINGS):
            await self._done(await self._ask("PATCH", f"/indexes/{index}/settings", SETTINGS))

    async def _drop(self, index: str) -> None:
        await self._done(await self._ask("DELETE", f"/indexes/{index}"), unless="index_not_found")

    async def _done(self, enqueued: SearchResponse, *, unless: str | None = None) -> None:
        """Waits for a task that must succeed, except for one error that means it is already done."""
        if enqueued.status != 202:
            if enqueued.body.get("code") == unless:
                return
            raise self._not_fit(reason_in(enqueued))
        outcome = await self._outcome_of(_ticket(enqueued))
        if isinstance(outcome, IndexRefusal) and not (unless and unless in outcome.reason):
            raise self._not_fit(outcome.reason)

    async def _outcome_of(self, ticket: str, *, seconds: float | None = None) -> Outcome:
        pause, patience = _FIRST_LOOK_SECONDS, seconds or self._http.patience.write
        try:
            async with asyncio.timeout(patience):
                while (outcome := await self.outcome(ticket)) is IndexProgress.WAITING:
                    await asyncio.sleep(pause)
                    pause = min(2 * pause, _LONGEST_LOOK_SECONDS)
        except TimeoutError:
            raise IndexAway(f"its task {ticket} takes longer than {patience:g} s") from None
        return outcome


class _Filling:
    """An index of Meilisearch that is being filled."""

    def __init__(self, server: Meilisearch, index: str) -> None:
        self._server = server
        self._index = index

    async def put(self, documents: Sequence[Document]) -> Mapping[int, IndexRefusal]:
        """Adds documents and waits until they are indexed."""
        return await self._server.fill(self._index, documents)


def _row(document: Document) -> dict[str, Any]:
    return search_attributes.of(document) | {
        "id": document.public_id,
        "url": document.url,
        "title": document.title,
        "location_raw": document.location_raw,
        "description": document.description,
        "tags": list(document.tags),
        "source_name": document.source_name,
    }


def _sent(answer: SearchResponse, ids: Sequence[int]) -> IndexSendResult:
    if answer.status == 202:
        return IndexSendResult(ticket=_ticket(answer))
    refusal = IndexRefusal(reason_in(answer), is_final=True)
    return IndexSendResult(refused=dict.fromkeys(ids, refusal))


def _ticket(answer: SearchResponse) -> str:
    return f"{answer.body['taskUid']}@{_second(answer.body)}"


def _second(task: Mapping[str, Any]) -> str:
    """When a task was enqueued."""
    return str(task["enqueuedAt"])[: len("2026-01-01T00:00:00")]


def _outcome(task: Mapping[str, Any]) -> Outcome:
    match task["status"]:
        case "succeeded":
            return IndexProgress.DONE
        case "failed":
            error = task["error"] or {}
            if task["type"] == "documentDeletion" and error.get("code") == "index_not_found":
                return IndexProgress.DONE  # it is already gone
            reason = f"{error.get('code')}: {error.get('message')}"
            return IndexRefusal(reason, is_final=error.get("type") == "invalid_request")
        case "canceled":
            return IndexProgress.LOST
    return IndexProgress.WAITING


def _most_frequent(name: str, counts: Mapping[str, int], most: int) -> list[tuple[Any, int]]:
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:most]
    return [(int(value) if name == "source" else value, count) for value, count in ordered]


def _includes(found: Any, wanted: Any) -> bool:
    """Whether the settings contain ours, whatever else they contain."""
    if isinstance(wanted, Mapping):
        return isinstance(found, Mapping) and all(_includes(found.get(name), value) for name, value in wanted.items())
    if isinstance(wanted, list) and isinstance(found, list):
        return found == wanted or sorted(map(str, found)) == wanted
    return bool(found == wanted)
