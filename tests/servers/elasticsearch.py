"""A stand-in for Elasticsearch and OpenSearch: their HTTP protocol over memory. A refresh shows what was written."""

import base64
import fnmatch
import re
import time
from collections import Counter
from copy import deepcopy
from typing import Any

import orjson
from aiohttp import web

from tests.servers.elasticsearch_documents import Refused, fields_of, terms_of
from tests.servers.elasticsearch_query import BadQuery, score_of
from tests.servers.http_stub import HttpStub, reply

_NAME = re.compile(r"(?![_+.-])[^A-Z\\/*?\"<>| ,#:]{1,255}")
_REFRESH_SECONDS = 1.0
_DEEPEST = 10_000


class _Failure(Exception):
    def __init__(self, kind: str, reason: str, status: int = 400) -> None:
        super().__init__(reason)
        self.kind, self.reason, self.status = kind, reason, status

    @property
    def body(self) -> dict[str, Any]:
        return {"error": {"type": self.kind, "reason": self.reason}, "status": self.status}


class _Index:
    def __init__(self, body: dict[str, Any]) -> None:
        self.mapping: dict[str, Any] = deepcopy(body.get("mappings", {}))
        self.aliases: set[str] = set(body.get("aliases", {}))
        #: id -> source and terms; what is written, and what is found
        self.written: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {}
        self.found: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {}
        self._refreshed_at = time.monotonic()

    def refresh(self) -> None:
        self.found, self._refreshed_at = dict(self.written), time.monotonic()

    def refresh_if_old(self) -> None:
        if time.monotonic() - self._refreshed_at >= _REFRESH_SECONDS:
            self.refresh()


class Elasticsearch(HttpStub):
    """One server."""

    def __init__(self, *, user: tuple[str, str] | None = None, key: str | None = None) -> None:
        super().__init__()
        self._allowed: str | None = None
        if user is not None:
            self._allowed = "Basic " + base64.b64encode(":".join(user).encode()).decode()
        if key is not None:
            self._allowed = f"ApiKey {key}"
        self.indexes: dict[str, _Index] = {}
        #: ids that are refused as documents that fit no mapping
        self.poison: set[int] = set()
        #: items of the next bulk requests that are turned away because too much is going on
        self.busy_items = 0

    def wipe(self) -> None:
        """Loses all indexes."""
        self.indexes.clear()

    def documents(self, alias: str) -> dict[str, dict[str, Any]]:
        """What is written under a name, found or not."""
        return {key: source for index in self._resolved(alias) for key, (source, _) in index.written.items()}

    async def handle(self, request: web.Request, body: bytes) -> web.StreamResponse:
        """Answers a request."""
        try:
            if self._allowed is not None and request.headers.get("Authorization") != self._allowed:
                raise _Failure("security_exception", "missing or wrong authentication credentials", 401)
            return reply(self._route(request, request.path.strip("/").split("/"), body))
        except _Failure as failure:
            return reply(failure.body, failure.status)
        except BadQuery as error:
            return reply(_Failure("parsing_exception", str(error)).body, 400)

    def _route(self, request: web.Request, parts: list[str], body: bytes) -> Any:
        match request.method, parts:
            case "POST", ["_bulk"]:
                return self._bulk(body)
            case "POST", ["_aliases"]:
                return self._change_aliases(orjson.loads(body)["actions"])
            case "PUT", [name]:
                return self._create(name, orjson.loads(body or b"{}"))
            case "DELETE", [names]:
                return self._delete(names)
            case "GET", [target, "_alias"]:
                return {name: {"aliases": {a: {} for a in i.aliases}} for name, i in self._named(target).items()}
            case "GET", [target, "_mapping"]:
                return {name: {"mappings": index.mapping} for name, index in self._named(target).items()}
            case "POST", [target, "_refresh"]:
                for index in self._resolved(target):
                    index.refresh()
                return {"_shards": {"failed": 0}}
            case "GET", [target, "_count"]:
                return {"count": sum(len(index.found) for index in self._resolved(target))}
            case "POST", [target, "_search"]:
                return self._search(target, orjson.loads(body))
            case "POST", [target, "_delete_by_query"]:
                return self._delete_by_query(target, orjson.loads(body), request)
        raise _Failure("illegal_argument_exception", f"no handler for {request.method} {request.path}", 405)

    # ── names ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def _named(self, target: str) -> dict[str, _Index]:
        """Indexes by name, alias or pattern; a plain name that nobody has is an error, a pattern is not."""
        found: dict[str, _Index] = {}
        for wanted in target.split(","):
            if "*" in wanted:
                those = {name: i for name, i in self.indexes.items() if fnmatch.fnmatchcase(name, wanted)}
            else:
                those = {name: i for name, i in self.indexes.items() if wanted == name or wanted in i.aliases}
                if not those:
                    raise _Failure("index_not_found_exception", f"no such index [{wanted}]", 404)
            found |= those
        return found

    def _resolved(self, target: str) -> list[_Index]:
        found = list(self._named(target).values())
        for index in found:
            index.refresh_if_old()
        return found

    def _create(self, name: str, body: dict[str, Any]) -> Any:
        if not _NAME.fullmatch(name):
            raise _Failure("invalid_index_name_exception", f"Invalid index name [{name}]")
        if name in self.indexes or any(name in index.aliases for index in self.indexes.values()):
            raise _Failure("resource_already_exists_exception", f"index [{name}] already exists")
        for alias in body.get("aliases", {}):
            self._check_alias(alias)
        self.indexes[name] = _Index(body)
        return {"acknowledged": True, "index": name}

    def _check_alias(self, alias: str) -> None:
        if not _NAME.fullmatch(alias) or alias in self.indexes:
            raise _Failure("invalid_alias_name_exception", f"Invalid alias name [{alias}]")

    def _delete(self, names: str) -> Any:
        if "*" in names or "_all" in names.split(","):
            raise _Failure("illegal_argument_exception", "Wildcard expressions or all indices are not allowed")
        for name in names.split(","):
            if name not in self.indexes:
                raise _Failure("index_not_found_exception", f"no such index [{name}]", 404)
            del self.indexes[name]
        return {"acknowledged": True}

    def _change_aliases(self, actions: list[dict[str, dict[str, str]]]) -> Any:
        """All of them or none."""
        if not actions:
            raise _Failure("action_request_validation_exception", "Must specify at least one alias action")
        after = dict(self.indexes)
        aliases = {name: set(index.aliases) for name, index in after.items()}
        for action in actions:
            ((kind, said),) = action.items()
            if said["index"] not in after:
                raise _Failure("index_not_found_exception", f"no such index [{said['index']}]", 404)
            if kind == "remove_index":
                del after[said["index"]]
            elif kind == "add":
                self._check_alias(said["alias"])
                aliases[said["index"]].add(said["alias"])
            elif said["alias"] not in aliases[said["index"]]:
                raise _Failure("aliases_not_found_exception", f"aliases [{said['alias']}] missing", 404)
            else:
                aliases[said["index"]].remove(said["alias"])
        self.indexes = after
        for name, index in after.items():
            index.aliases = aliases[name]
        return {"acknowledged": True}

    # ── documents ────────────────────────────────────────────────────────────────────────────────────────────────────

    def _bulk(self, body: bytes) -> Any:
        if not body.endswith(b"\n"):
            raise _Failure("illegal_argument_exception", "The bulk request must be terminated by a newline [\\n]")
        lines = [orjson.loads(line) for line in body.splitlines()]
        items = []
        for action, document in zip(lines[::2], lines[1::2], strict=True):
            said = action["index"]
            try:
                self._write(said, document)
                items.append(
                    {"index": {"_index": said["_index"], "_id": said["_id"], "status": 201, "result": "created"}}
                )
            except _Failure as failure:
                error = {"_index": said["_index"], "_id": said["_id"], "status": failure.status}
                items.append({"index": {**error, "error": failure.body["error"]}})
        return {"took": 1, "errors": any("error" in item["index"] for item in items), "items": items}

    def _write(self, said: dict[str, Any], document: dict[str, Any]) -> None:
        name = said["_index"]
        if self.busy_items:
            self.busy_items -= 1
            raise _Failure("es_rejected_execution_exception", "rejected execution of primary operation", 429)
        try:
            (index,) = self._named(name).values()
        except _Failure:
            if said.get("require_alias"):
                reason = (
                    f"no such index [{name}] and [require_alias] request flag is [true] and [{name}] is not an alias"
                )
                raise _Failure("index_not_found_exception", reason, 404) from None
            self._create(name, {})
            index = self.indexes[name]
        try:
            if int(said["_id"]) in self.poison:
                raise Refused("document_parsing_exception", "failed to parse")
            terms = terms_of(document, index.mapping)
        except Refused as refused:
            raise _Failure(*refused.args) from None
        left_out = index.mapping.get("_source", {}).get("excludes", [])
        index.written[said["_id"]] = {key: value for key, value in document.items() if key not in left_out}, terms

    def _delete_by_query(self, target: str, asked: dict[str, Any], request: web.Request) -> Any:
        deleted = 0
        for index in self._resolved(target):
            score = score_of(asked["query"], {}, {})
            for key, (_, terms) in list(index.found.items()):
                if score(key, terms) is not None:
                    deleted += index.written.pop(key, None) is not None
            if request.query.get("refresh") == "true":
                index.refresh()
        return {"deleted": deleted, "version_conflicts": 0, "failures": []}

    # ── search ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def _search(self, target: str, asked: dict[str, Any]) -> Any:
        start, size = asked.get("from", 0), asked.get("size", 10)
        if start + size > _DEEPEST:
            raise _Failure(
                "illegal_argument_exception", "Result window is too large, from + size must be less than 10000"
            )
        indexes = self._resolved(target)
        analyzers: dict[str, str] = {}
        mapped: dict[str, str] = {}
        for index in indexes:
            for path, said in fields_of(index.mapping):
                mapped[path] = said["type"]
                analyzers[path] = said.get("analyzer", "standard")
        documents = {key: terms for index in indexes for key, (_, terms) in index.found.items()}
        sources = {key: source for index in indexes for key, (source, _) in index.found.items()}
        score = score_of(asked.get("query", {"match_all": {}}), analyzers, documents)
        hits = [(key, found) for key, terms in documents.items() if (found := score(key, terms)) is not None]
        for rule in reversed(asked.get("sort", [{"_score": {"order": "desc"}}])):
            _sort(hits, rule, documents, mapped)
        answer: dict[str, Any] = {"took": 1, "timed_out": False}
        shown = [_shown(key, found, sources[key], asked) for key, found in hits[start : start + size]]
        answer["hits"] = {"total": {"value": len(hits), "relation": "eq"}, "hits": shown}
        if "aggs" in asked:
            found = [documents[key] for key, _ in hits]
            answer["aggregations"] = {name: _terms_of(said["terms"], found) for name, said in asked["aggs"].items()}
        return answer


def _sort(hits: list[tuple[str, float]], rule: dict[str, Any], documents: Any, mapped: dict[str, str]) -> None:
    ((field, said),) = rule.items()
    down = said["order"] == "desc"
    if field == "_score":
        hits.sort(key=lambda hit: hit[1], reverse=down)
        return
    if field not in mapped and "unmapped_type" not in said:
        raise _Failure("query_shard_exception", f"No mapping found for [{field}] in order to sort on")
    if mapped.get(field) == "text":
        raise _Failure("illegal_argument_exception", f"Fielddata is disabled on [{field}]")
    there = [hit for hit in hits if documents[hit[0]].get(field)]
    absent = [hit for hit in hits if not documents[hit[0]].get(field)]
    there.sort(key=lambda hit: documents[hit[0]][field][0], reverse=down)
    hits[:] = there + absent


def _shown(key: str, score: float, source: dict[str, Any], asked: dict[str, Any]) -> dict[str, Any]:
    wanted = asked.get("_source", True)
    has_score = any("_score" in rule for rule in asked.get("sort", [{"_score": {}}]))
    hit: dict[str, Any] = {"_id": key, "_score": score if has_score else None}
    if wanted is not False:
        hit["_source"] = source if wanted is True else {name: source[name] for name in wanted if name in source}
    return hit


def _terms_of(said: dict[str, Any], found: list[Any]) -> Any:
    counts: Counter[Any] = Counter()
    for terms in found:
        counts.update(set(terms.get(said["field"], ())))
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[: said.get("size", 10)]
    return {"buckets": [{"key": key, "doc_count": count} for key, count in ordered], "sum_other_doc_count": 0}
