"""A stand-in for Meilisearch: its HTTP protocol over memory, with tasks that are accepted long before they are done."""

import asyncio
import re
from collections import Counter
from copy import deepcopy
from datetime import UTC, datetime
from typing import Any, Self

import orjson
from aiohttp import web

from tests.servers.http_stub import HttpStub, reply
from tests.servers.meilisearch_filter import BadFilter, filter_of, values_of
from tests.servers.meilisearch_text import Matcher, parsed

_DEFAULTS: dict[str, Any] = {
    "displayedAttributes": ["*"],
    "searchableAttributes": ["*"],
    "filterableAttributes": [],
    "sortableAttributes": [],
    "rankingRules": ["words", "typo", "proximity", "attribute", "sort", "exactness"],
    "stopWords": [],
    "synonyms": {},
    "distinctAttribute": None,
    "typoTolerance": {"enabled": True, "minWordSizeForTypos": {"oneTypo": 5, "twoTypos": 9}},
    "faceting": {"maxValuesPerFacet": 100, "sortFacetValuesBy": {"*": "alpha"}},
    "pagination": {"maxTotalHits": 1000},
}
_ID = re.compile(r"[A-Za-z0-9_-]{1,511}")
_SEARCH = {
    *("q", "offset", "limit", "hitsPerPage", "page", "filter", "facets", "sort", "matchingStrategy"),
    *("attributesToRetrieve", "showRankingScore"),
}


class _Failure(Exception):
    """An error with its code, as the protocol has it."""

    def __init__(self, code: str, message: str, *, kind: str = "invalid_request", status: int = 400) -> None:
        super().__init__(message)
        self.body = {
            "message": message,
            "code": code,
            "type": kind,
            "link": f"https://docs.meilisearch.com/errors#{code}",
        }
        self.status = status


class _Index:
    def __init__(self, primary_key: str | None) -> None:
        self.primary_key = primary_key
        self.settings = deepcopy(_DEFAULTS)
        self.documents: dict[str, dict[str, Any]] = {}


class Meilisearch(HttpStub):
    """One server. Tasks are done one after the other, each after a moment, and not while it is held."""

    def __init__(self, *, key: str | None = None) -> None:
        super().__init__()
        self._key = key
        self.indexes: dict[str, _Index] = {}
        self.tasks: list[dict[str, Any]] = []
        self.moment_seconds = 0.005
        self.may_work = asyncio.Event()
        self.may_work.set()
        #: documents with one of these ids make their whole task fail
        self.poison: set[int] = set()
        #: as many of the next tasks fail for a reason of the server's own
        self.unwell_tasks = 0
        self._work: list[Any] = []
        self._more = asyncio.Event()
        self._worker: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._worker = asyncio.create_task(self._do_tasks())
        return await super().__aenter__()

    async def __aexit__(self, *_: object) -> None:
        if self._worker is not None:
            self._worker.cancel()
        await super().__aexit__()

    def wipe(self) -> None:
        """Loses everything but its configuration, as a volume that was not mounted would."""
        self.indexes.clear()
        self.tasks.clear()
        self._work.clear()

    async def handle(self, request: web.Request, body: bytes) -> web.StreamResponse:
        """Answers a request."""
        try:
            self._check(request)
            return self._route(
                request.method, request.path.strip("/").split("/"), orjson.loads(body or b"null"), request
            )
        except _Failure as failure:
            return reply(failure.body, failure.status)

    def _check(self, request: web.Request) -> None:
        given = request.headers.get("Authorization")
        if self._key is not None and given is None:
            raise _Failure(
                "missing_authorization_header", "The Authorization header is missing.", kind="auth", status=401
            )
        if self._key is not None and given != f"Bearer {self._key}":
            raise _Failure("invalid_api_key", "The provided API key is invalid.", kind="auth", status=403)

    def _route(self, method: str, parts: list[str], body: Any, request: web.Request) -> web.Response:
        match method, parts:
            case "GET", ["health"]:
                return reply({"status": "available"})
            case "GET", ["tasks", uid]:
                return reply(self._task(int(uid)))
            case "POST", ["indexes"]:
                return self._enqueue(
                    "indexCreation", body["uid"], lambda: self._create(body["uid"], body.get("primaryKey"))
                )
            case "GET", ["indexes", uid]:
                return reply({"uid": uid, "primaryKey": self._index(uid).primary_key})
            case "DELETE", ["indexes", uid]:
                return self._enqueue("indexDeletion", uid, lambda: self.indexes.pop(self._index(uid) and uid))
            case "GET", ["indexes", uid, "stats"]:
                return reply({"numberOfDocuments": len(self._index(uid).documents), "isIndexing": False})
            case "GET", ["indexes", uid, "settings"]:
                return reply(self._index(uid).settings)
            case "PATCH", ["indexes", uid, "settings"]:
                if unknown := set(body) - set(_DEFAULTS):
                    raise _Failure("bad_request", f"Unknown field `{unknown.pop()}`")
                return self._enqueue("settingsUpdate", uid, lambda: self._set(uid, body))
            case "POST", ["indexes", uid, "documents"]:
                key = request.query.get("primaryKey")
                return self._enqueue("documentAdditionOrUpdate", uid, lambda: self._add(uid, key, body))
            case "POST", ["indexes", uid, "documents", "delete-batch"]:
                return self._enqueue("documentDeletion", uid, lambda: self._delete(uid, body))
            case "POST", ["swap-indexes"]:
                return self._enqueue("indexSwap", None, lambda: self._swap(body))
            case "POST", ["indexes", uid, "search"]:
                return reply(_searched(self._index(uid), body))
        raise _Failure("not_found", "no such route", status=404)

    def _index(self, uid: str) -> _Index:
        if uid not in self.indexes:
            raise _Failure("index_not_found", f"Index `{uid}` not found.", status=404)
        return self.indexes[uid]

    def _task(self, uid: int) -> dict[str, Any]:
        for task in self.tasks:
            if task["uid"] == uid:
                return task
        raise _Failure("task_not_found", f"Task `{uid}` not found.", status=404)

    # ── tasks ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def _enqueue(self, kind: str, index: str | None, work: Any) -> web.Response:
        now = datetime.now(UTC).isoformat()
        task = {"uid": len(self.tasks), "indexUid": index, "status": "enqueued", "type": kind, "error": None}
        task |= {"canceledBy": None, "enqueuedAt": now, "startedAt": None, "finishedAt": None}
        self.tasks.append(task)
        self._work.append((task, work))
        self._more.set()
        return reply(
            {"taskUid": task["uid"], "indexUid": index, "status": "enqueued", "type": kind, "enqueuedAt": now}, 202
        )

    async def _do_tasks(self) -> None:
        while True:
            await self._more.wait()
            await self.may_work.wait()
            if not self._work:
                self._more.clear()
                continue
            task, work = self._work.pop(0)
            task["status"] = "processing"
            await asyncio.sleep(self.moment_seconds)
            try:
                if self.unwell_tasks:
                    self.unwell_tasks -= 1
                    raise _Failure(
                        "no_space_left_on_device", "There is no more space left on the device.", kind="internal"
                    )
                work()
                task["status"] = "succeeded"
            except _Failure as failure:
                task |= {"status": "failed", "error": failure.body}

    def _create(self, uid: str, primary_key: str | None) -> None:
        if uid in self.indexes:
            raise _Failure("index_already_exists", f"Index `{uid}` already exists.")
        self.indexes[uid] = _Index(primary_key)

    def _set(self, uid: str, given: dict[str, Any]) -> None:
        index = self.indexes.setdefault(uid, _Index(None))
        for name, value in given.items():
            merged = index.settings[name] | value if isinstance(value, dict) else value
            index.settings[name] = sorted(value) if name in ("filterableAttributes", "sortableAttributes") else merged

    def _add(self, uid: str, primary_key: str | None, rows: list[dict[str, Any]]) -> None:
        """All of them or none; an index that is not there is made, with the settings that everybody has."""
        index = self.indexes.setdefault(uid, _Index(primary_key))
        index.primary_key = index.primary_key or primary_key
        for row in rows:
            key = row.get(index.primary_key or "")
            if not isinstance(key, int | str) or not _ID.fullmatch(str(key)):
                raise _Failure("invalid_document_id", f"Document identifier `{key}` is invalid.")
            if key in self.poison:
                raise _Failure(
                    "invalid_document_geo_field", f"The `_geo` field in the document with the id: `{key}` is bad."
                )
        for row in rows:
            index.documents[str(row[index.primary_key])] = row

    def _delete(self, uid: str, ids: list[Any]) -> None:
        index = self._index(uid)
        for key in ids:
            index.documents.pop(str(key), None)

    def _swap(self, swaps: list[dict[str, list[str]]]) -> None:
        for swap in swaps:
            one, other = swap["indexes"]
            first, second = self._index(one), self._index(other)
            self.indexes[one], self.indexes[other] = second, first


# ── search ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def _searched(index: _Index, asked: dict[str, Any]) -> dict[str, Any]:
    if unknown := set(asked) - _SEARCH:
        raise _Failure("bad_request", f"Unknown field `{unknown.pop()}`")
    found = _ranked(index, asked)
    most = index.settings["pagination"]["maxTotalHits"]
    reachable = found[:most]
    answer: dict[str, Any] = {"query": asked.get("q", ""), "processingTimeMs": 0}
    if "page" in asked or "hitsPerPage" in asked:
        size, page = asked.get("hitsPerPage", 20), asked.get("page", 1)
        start = (page - 1) * size
        answer |= {"page": page, "hitsPerPage": size, "totalHits": len(reachable)}
    else:
        start, size = asked.get("offset", 0), asked.get("limit", 20)
        answer |= {"offset": start, "limit": size, "estimatedTotalHits": len(reachable)}
    answer["hits"] = [_shown(document, score, asked) for document, score in reachable[start : start + size]]
    if asked.get("facets"):
        answer["facetDistribution"] = _facets(index, asked["facets"], [document for document, _ in found])
    return answer


def _ranked(index: _Index, asked: dict[str, Any]) -> list[tuple[dict[str, Any], float]]:
    settings = index.settings
    try:
        is_wanted = filter_of(asked.get("filter"), settings["filterableAttributes"])
    except BadFilter as error:
        raise _Failure("invalid_search_filter", str(error)) from None
    sort = [each.rsplit(":", 1) for each in asked.get("sort") or ()]
    for name, _ in sort:
        if name not in settings["sortableAttributes"] or "sort" not in settings["rankingRules"]:
            raise _Failure("invalid_search_sort", f"Attribute `{name}` is not sortable.")
    attributes = settings["searchableAttributes"]
    query = parsed(asked.get("q") or "")
    strategy, typos = asked.get("matchingStrategy", "last"), settings["typoTolerance"]["enabled"]
    matcher = Matcher(query, attributes, strategy=strategy, typos=typos)
    found = []
    for document in index.documents.values():
        if is_wanted(document) and (match := matcher.match(document)) is not None:
            found.append((document, match))
    for rule in reversed(settings["rankingRules"]):
        _sort_by(rule, found, sort)
    size = max(len(query.wanted), 1)
    return [(document, (count + exact + 1 / (1 + place)) / (2 * size + 1)) for document, (count, place, exact) in found]


def _sort_by(rule: str, found: list[Any], sort: list[list[str]]) -> None:
    """Stable, so that each rule decides what the ones before it leave open."""
    if rule == "words":
        found.sort(key=lambda each: -each[1][0])
    elif rule == "attribute":
        found.sort(key=lambda each: each[1][1])
    elif rule == "exactness":
        found.sort(key=lambda each: -each[1][2])
    elif rule == "sort":
        for name, direction in reversed(sort):
            _sort_by_value(found, name, direction)
    elif ":" in rule:
        _sort_by_value(found, *rule.split(":"))


def _sort_by_value(found: list[Any], name: str, direction: str) -> None:
    """Whoever has no value comes last, whichever the direction."""
    there = [each for each in found if values_of(each[0], name)]
    absent = [each for each in found if not values_of(each[0], name)]
    there.sort(key=lambda each: _sortable(values_of(each[0], name)[0]), reverse=direction == "desc")
    found[:] = there + absent


def _sortable(value: Any) -> tuple[bool, Any]:
    return isinstance(value, str), value.lower() if isinstance(value, str) else value


def _shown(document: dict[str, Any], score: float, asked: dict[str, Any]) -> dict[str, Any]:
    wanted = asked.get("attributesToRetrieve", ["*"])
    shown = document if "*" in wanted else {name: document[name] for name in wanted if name in document}
    return {**shown, "_rankingScore": score} if asked.get("showRankingScore") else dict(shown)


def _facets(index: _Index, names: list[str], found: list[dict[str, Any]]) -> dict[str, dict[str, int]]:
    settings = index.settings["faceting"]
    counted = {}
    for name in names:
        if name not in index.settings["filterableAttributes"]:
            raise _Failure("invalid_search_facets", f"Attribute `{name}` is not filterable.")
        counts: Counter[str] = Counter()
        spelt: dict[str, str] = {}
        for document in found:
            for value in values_of(document, name):
                counts[spelt.setdefault(str(value).lower(), str(value))] += 1
        by_count = settings["sortFacetValuesBy"].get(name, settings["sortFacetValuesBy"]["*"]) == "count"
        ordered = counts.most_common() if by_count else sorted(counts.items())
        counted[name] = dict(ordered[: settings["maxValuesPerFacet"]])
    return counted
