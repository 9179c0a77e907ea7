"""Records in Elasticsearch or OpenSearch: an index for each source, searched together under one alias."""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import orjson

from lamplighter.adapters.search import elasticsearch_mapping, elasticsearch_query, search_attributes
from lamplighter.adapters.search.elasticsearch_mapping import BODY, VERSION, IndexNames
from lamplighter.adapters.search.search_attributes import STAMP
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

#: index names in one request
_NAMES_AT_ONCE = 20
_NO_INDEX = "index_not_found_exception"
#: status of a single document that is itself at fault
_BAD_DOCUMENT = 400
#: (document, its index or alias)
_Placed = Sequence[tuple[Document, str]]


class Elasticsearch(SearchClient):
    """An Elasticsearch (7.10 or later) or OpenSearch server."""

    def __init__(
        self,
        url: str,
        *,
        key: str | None,
        prefix: str,
        engine: str = "elasticsearch",
        patience: SearchTimeouts | None = None,
    ) -> None:
        self._names = IndexNames(prefix)
        authorization = f"ApiKey {key}" if key else None
        super().__init__(url, authorization, engine=engine, index=self._names.everything, patience=patience)
        #: source -> the alias that is known to exist
        self._aliases: dict[int, str] = {}

    async def search(self, query: IndexQuery, order: RecordOrder) -> Hits:
        """A page of hits, scored as if all records were in one index."""
        found = await self._search(elasticsearch_query.search(query, order))
        by_relevance = search_attributes.is_by_relevance(query, order)
        page = [Hit(int(hit["_id"]), hit["_score"] if by_relevance else None) for hit in found["hits"]["hits"]]
        return Hits(page, found["hits"]["total"]["value"])

    async def facets(self, query: IndexQuery, names: Sequence[str], *, most: int) -> dict[str, list[tuple[Any, int]]]:
        """Counts of values."""
        found = await self._search(elasticsearch_query.facets(query, names, most=most))
        counted = found["aggregations"]
        return {name: [(each["key"], each["doc_count"]) for each in counted[name]["buckets"]] for name in names}

    async def prepare(self) -> bool:
        """Whether every existing index has our mapping; a source's index is created with its first record."""
        answer = await self._ask("GET", f"/{self._names.everything}/_mapping")
        if answer.status == 404:
            self._unfit = None
            return True
        found = self._expected(answer)
        return all(each["mappings"].get("_meta", {}).get("lamplighter") == VERSION for each in found.values())

    async def put(self, documents: Sequence[Document]) -> IndexSendResult:
        """Sends documents, and gets the result of each."""
        refused = await self._put_where_they_belong(documents)
        # An index may have been removed since we checked.
        homeless = {key for key, why in refused.items() if why.reason.startswith(_NO_INDEX)}
        if homeless:
            self._aliases.clear()
            refused = {key: why for key, why in refused.items() if key not in homeless}
            refused |= await self._put_where_they_belong([each for each in documents if each.id in homeless])
        return IndexSendResult(refused=refused)

    async def remove(self, ids: Sequence[int]) -> IndexSendResult:
        """Deletes documents, whichever index they are in."""
        # Documents that are not yet searchable would not be found for deletion.
        await self._refresh()
        path = f"/{self._names.everything}/_delete_by_query?conflicts=proceed&refresh=true"
        answer = await self._ask("POST", path, {"query": {"ids": {"values": [str(record_id) for record_id in ids]}}})
        if answer.status == 404:
            return IndexSendResult()
        done = self._expected(answer)
        if done["failures"] or done["version_conflicts"]:
            return IndexSendResult(
                refused=dict.fromkeys(ids, IndexRefusal("some could not be deleted now", is_final=False))
            )
        return IndexSendResult()

    async def outcome(self, ticket: str) -> Outcome:
        """No ticket is ever open here."""
        return IndexProgress.LOST

    @asynccontextmanager
    async def anew(self) -> AsyncIterator["_Filling"]:
        """New indexes beside the old, which take over their aliases in one step."""
        filling = _Filling(self, self._names)
        try:
            yield filling
            await self._exchange(filling.made)
        except BaseException:
            await self._drop(index for index, _ in filling.made.values())
            raise
        self._aliases.clear()

    async def held(self, *, after: int, limit: int) -> list[IndexedRecord]:
        """The documents in the index."""
        if after == 0:
            await self._refresh()
        answer = await self._ask(
            "POST", f"/{self._names.everything}/_search", elasticsearch_query.held(after=after, limit=limit)
        )
        hits = [] if answer.status == 404 else self._expected(answer)["hits"]["hits"]
        return [IndexedRecord(int(hit["_id"]), hit["_source"].get(STAMP, "")) for hit in hits]

    async def count(self) -> int:
        """The number of documents."""
        await self._refresh()
        answer = await self._ask("GET", f"/{self._names.everything}/_count")
        return 0 if answer.status == 404 else int(self._expected(answer)["count"])

    async def make_index(self, name: str, aliases: Iterable[str]) -> None:
        """Creates an index with our mapping."""
        self._expected(await self._ask("PUT", f"/{name}", {**BODY, "aliases": {alias: {} for alias in aliases}}))

    async def write(self, placed: _Placed, *, by_alias: bool) -> dict[int, IndexRefusal]:
        """Writes documents, and returns which were refused and why."""
        lines: list[bytes] = []
        for document, place in placed:
            # An alias that is gone must not come back as an index without our mapping.
            action = {"_index": place, "_id": str(document.id), "require_alias": by_alias}
            lines += [orjson.dumps({"index": action}), orjson.dumps(elasticsearch_mapping.row(document))]
        if not lines:
            return {}
        answer = await self._ask("POST", "/_bulk", b"\n".join(lines) + b"\n", kind="application/x-ndjson")
        if answer.status != 200:
            return dict.fromkeys(
                (document.id for document, _ in placed), IndexRefusal(reason_in(answer), is_final=True)
            )
        items = [item["index"] for item in answer.body["items"]]
        return {int(item["_id"]): _refusal(item) for item in items if item.get("error")}

    async def _put_where_they_belong(self, documents: Sequence[Document]) -> dict[int, IndexRefusal]:
        placed = [(document, await self._alias_for(document)) for document in documents]
        return await self.write(placed, by_alias=True)

    async def _alias_for(self, document: Document) -> str:
        """The alias of a document's source, created where there is none, and renamed with the source."""
        alias = self._names.alias(document.source_id, document.source_name)
        if self._aliases.get(document.source_id) == alias:
            return alias
        everything = self._names.everything
        answer = await self._ask("GET", f"/{self._names.of_source(document.source_id)}/_alias")
        known = {} if answer.status == 404 else self._expected(answer)
        ours = {index: each["aliases"] for index, each in known.items() if everything in each["aliases"]}
        if not ours:
            await self.make_index(self._names.new_index(document.source_id), (everything, alias))
        for index, aliases in ours.items():
            if alias not in aliases:
                former = [name for name in aliases if name != everything]
                actions: list[dict[str, Any]] = [{"add": {"index": index, "alias": alias}}]
                actions += [{"remove": {"index": index, "alias": name}} for name in former]
                self._expected(await self._ask("POST", "/_aliases", {"actions": actions}))
        self._aliases[document.source_id] = alias
        return alias

    async def _exchange(self, made: Mapping[int, tuple[str, str]]) -> None:
        answer = await self._ask("GET", f"/{self._names.all_indexes}/_alias")
        known = {} if answer.status == 404 else self._expected(answer)
        new = {index for index, _ in made.values()}
        actions: list[dict[str, Any]] = [{"remove_index": {"index": index}} for index in known if index not in new]
        for index, alias in made.values():
            actions += [{"add": {"index": index, "alias": name}} for name in (self._names.everything, alias)]
        if actions:
            self._expected(await self._ask("POST", "/_aliases", {"actions": actions}))
            await self._refresh()

    async def _drop(self, indexes: Iterable[str]) -> None:
        names = list(indexes)
        for start in range(0, len(names), _NAMES_AT_ONCE):
            await self._ask("DELETE", f"/{','.join(names[start : start + _NAMES_AT_ONCE])}")

    async def _refresh(self) -> None:
        """Makes what was written searchable; does nothing without an index."""
        await self._ask("POST", f"/{self._names.everything}/_refresh")

    async def _search(self, body: dict[str, Any]) -> Any:
        # The rarity of a word counts over all sources, not within each.
        path = f"/{self._names.everything}/_search?search_type=dfs_query_then_fetch"
        answer = await self._http.ask("POST", path, body, seconds=self._http.patience.search)
        if answer.status == 404:
            raise IndexAway("it has no index of ours, as long as there are no records")
        return self._expected(answer)

    def _expected(self, answer: SearchResponse) -> Any:
        """The body of a response that should be a success."""
        if answer.status < 300:
            self._unfit = None
            return answer.body
        raise self._not_fit(f"it responds with {answer.status}: {reason_in(answer)}")


class _Filling:
    """Indexes that are being filled."""

    def __init__(self, server: Elasticsearch, names: IndexNames) -> None:
        self._server = server
        self._names = names
        #: source -> its new index, and the alias that it will get
        self.made: dict[int, tuple[str, str]] = {}

    async def put(self, documents: Sequence[Document]) -> Mapping[int, IndexRefusal]:
        """Adds documents."""
        placed = [(document, await self._index_for(document)) for document in documents]
        return await self._server.write(placed, by_alias=False)

    async def _index_for(self, document: Document) -> str:
        source_id = document.source_id
        if source_id not in self.made:
            index = self._names.new_index(source_id)
            await self._server.make_index(index, ())
            self.made[source_id] = index, self._names.alias(source_id, document.source_name)
        return self.made[source_id][0]


def _refusal(item: Mapping[str, Any]) -> IndexRefusal:
    error = item["error"]
    return IndexRefusal(f"{error.get('type')}: {error.get('reason')}"[:500], is_final=item["status"] == _BAD_DOCUMENT)
