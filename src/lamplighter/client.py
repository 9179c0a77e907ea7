"""A client of the API for Python programs: `Lamplighter`, and `AsyncLamplighter` for programs with an event loop.

    from lamplighter.client import Lamplighter
    lamps = Lamplighter("http://127.0.0.1:8060")
    lamps.add_source("https://example.org/jobs", kind="job")
    for record in lamps.records(first_seen_after="2027-05-01T00:00:00Z"):
        print(record.title, record.url)

It needs nothing but Python and imports nothing else of the package.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import Request, urlopen

_PART = 200
#: runs of one part of the changes, and records of one of them: the most that the API gives
_CHANGES_PART, _RECORDS_OF_A_RUN = 100, 50


class ApiError(Exception):
    """The service refused a call."""

    def __init__(self, status: int, code: str, detail: str) -> None:
        super().__init__(f"{status} {code}: {detail}")
        self.status = status
        #: does not change from version to version
        self.code = code
        self.detail = detail


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiSource:
    """A source."""

    id: str
    name: str
    url: str
    enabled: bool
    #: never_run, running, healthy, failing …
    health: str
    tags: tuple[str, ...]
    job_id: str | None
    next_run_at: datetime | None
    #: all fields, as the API gives them
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiRecord:
    """A record."""

    id: str
    kind: str
    title: str
    url: str
    organisation: str | None
    deadline: date | None
    published_at: datetime | None
    #: all fields, as the API gives them
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiChange:
    """A record that a run found new, changed, gone or back."""

    #: new, changed, gone or back
    change: str
    record_id: str
    kind: str
    title: str
    url: str
    #: field -> value before and after; empty unless it changed
    fields: Mapping[str, tuple[Any, Any]]
    source_id: str
    source_name: str
    run_id: str | None
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiRun:
    """A run of a source."""

    id: str
    #: running, completed, failed or cancelled
    status: str
    started_at: datetime
    completed_at: datetime | None
    pages: int
    records: int
    #: why it failed
    error: str | None
    #: all fields, as the API gives them
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedRecipe:
    """A recipe learned from examples."""

    recipe: Mapping[str, Any]
    #: the rows that it finds on the page
    rows: int
    #: the records that it finds on each stored version of the page, the newest first
    versions: tuple[int, ...]
    #: what looks fragile
    notes: tuple[str, ...]


class Lamplighter:
    """Calls a running service."""

    def __init__(self, url: str = "http://127.0.0.1:8060", *, token: str | None = None, timeout: float = 30) -> None:
        if urlsplit(url).scheme not in ("http", "https"):
            raise ValueError(f"{url!r} is not the address of a service; write for example http://127.0.0.1:8060")
        self._url = url.rstrip("/")
        self._token = token
        self._timeout = timeout

    def __repr__(self) -> str:
        """The client without its token."""
        return f"{type(self).__name__}({self._url!r})"

    def call(self, method: str, path: str, body: Any = None, **query: Any) -> Any:
        """Sends any call of the API, and returns the JSON of its answer; ApiError if it is refused."""
        given = {name: _written(value) for name, value in query.items() if value is not None}
        address = f"{self._url}{path}?{urlencode(given)}" if given else f"{self._url}{path}"
        request = Request(address, method=method)
        request.add_header("Accept", "application/json")
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        if self._token is not None:
            request.add_header("Authorization", f"Bearer {self._token}")
        try:
            with urlopen(request, timeout=self._timeout) as answer:
                said = answer.read()
        except HTTPError as error:
            raise _refusal(error) from None
        return json.loads(said) if said else None

    def sources(self, **filters: Any) -> Iterator[ApiSource]:
        """The sources that match filters of `listSources`: search, tag, health, host …"""
        return map(_source, self._listed("/api/v1/sources", "sources", filters))

    def source(self, source_id: str) -> ApiSource:
        """One source."""
        return _source(self.call("GET", f"/api/v1/sources/{quote(source_id)}"))

    def add_source(self, url: str, *, name: str | None = None, **fields: Any) -> ApiSource:
        """Adds a source, with fields of `createSource`: kind, tags, recipe …"""
        given = {"url": url, "name": name or urlsplit(url).netloc, **fields}
        return _source(self.call("POST", "/api/v1/sources", given))

    def change_source(self, source_id: str, **fields: Any) -> ApiSource:
        """Changes these fields of a source and keeps the others; None resets a field."""
        return _source(self.call("PATCH", f"/api/v1/sources/{quote(source_id)}", fields))

    def remove_source(self, source_id: str) -> None:
        """Deletes a source; its records stay until it is purged."""
        self.call("DELETE", f"/api/v1/sources/{quote(source_id)}")

    def run(self, source: ApiSource) -> str:
        """Runs a source now; returns the id of the run."""
        if source.job_id is None:
            raise ValueError(f"{source.name} has no crawl job; enable it first")
        return str(self.call("POST", f"/api/v1/jobs/{source.job_id}/force-run")["execution_id"])

    def run_of(self, run: str) -> ApiRun:
        """A run as it is now."""
        return _run(self.call("GET", f"/api/v1/executions/{quote(run)}"))

    def wait_for(self, run: str, *, within: float = 600, every: float = 1) -> ApiRun:
        """Waits until a run has ended, however it ended; TimeoutError if it has not within so many seconds."""
        until = time.monotonic() + within
        while (found := self.run_of(run)).completed_at is None:
            time.sleep(_pause(run, until, every))
        return found

    def changes(self, **filters: Any) -> Iterator[ApiChange]:
        """What changed, newest first, by filters of `listRecordChanges`: tag, source_id, change, words, since …

        Up to 50 records of one run are told; `listRecordChanges` has their number, and the export has all of them.
        """
        given = {"limit": _CHANGES_PART, "records": _RECORDS_OF_A_RUN, **filters}
        before = None
        while True:
            part = self.call("GET", "/api/v1/changes", **given, before=before)
            for found in part["changes"]:
                yield from (_change(found, record) for record in found["records"])
            if (before := part["next"]) is None:
                return

    def records(self, **filters: Any) -> Iterator[ApiRecord]:
        """The records that match filters of `listRecords`: q, kind, source_id, first_seen_after, tag …"""
        return map(_record, self._listed("/api/v1/records", "records", filters))

    def learn(
        self,
        source_id: str,
        titles: Sequence[str],
        *,
        wrong: Sequence[str] = (),
        fields: Mapping[str, str] | None = None,
        next: str | None = None,
        save: bool = False,
    ) -> LearnedRecipe:
        """Learns the recipe of a source from texts of its stored page; `save` makes it the source's recipe."""
        body = {"titles": list(titles), "wrong": list(wrong), "fields": dict(fields or {}), "next": next, "save": save}
        said = self.call("POST", f"/api/v1/sources/{quote(source_id)}/learn", body)
        return LearnedRecipe(
            recipe=said["recipe"],
            rows=said["rows"],
            versions=tuple(said["versions"]),
            notes=tuple(said["notes"]),
        )

    def _listed(self, path: str, key: str, filters: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        offset = 0
        while True:
            part = self.call("GET", path, **{**filters, "limit": _PART, "offset": offset})
            yield from part[key]
            offset += len(part[key])
            if not part[key] or offset >= part["total"]:
                return


class AsyncLamplighter:
    """The same for programs with an event loop: each call waits in a thread of its own."""

    def __init__(self, url: str = "http://127.0.0.1:8060", *, token: str | None = None, timeout: float = 30) -> None:
        self._client = Lamplighter(url, token=token, timeout=timeout)

    async def call(self, method: str, path: str, body: Any = None, **query: Any) -> Any:
        """Sends any call of the API."""
        return await asyncio.to_thread(self._client.call, method, path, body, **query)

    async def sources(self, **filters: Any) -> AsyncIterator[ApiSource]:
        """The sources that match filters."""
        async for source in _each(self._client.sources(**filters)):
            yield source

    async def source(self, source_id: str) -> ApiSource:
        """One source."""
        return await asyncio.to_thread(self._client.source, source_id)

    async def add_source(self, url: str, *, name: str | None = None, **fields: Any) -> ApiSource:
        """Adds a source."""
        return await asyncio.to_thread(self._client.add_source, url, name=name, **fields)

    async def change_source(self, source_id: str, **fields: Any) -> ApiSource:
        """Changes these fields of a source and keeps the others."""
        return await asyncio.to_thread(self._client.change_source, source_id, **fields)

    async def remove_source(self, source_id: str) -> None:
        """Deletes a source."""
        await asyncio.to_thread(self._client.remove_source, source_id)

    async def run(self, source: ApiSource) -> str:
        """Runs a source now."""
        return await asyncio.to_thread(self._client.run, source)

    async def run_of(self, run: str) -> ApiRun:
        """A run as it is now."""
        return await asyncio.to_thread(self._client.run_of, run)

    async def wait_for(self, run: str, *, within: float = 600, every: float = 1) -> ApiRun:
        """Waits until a run has ended; no thread waits with it."""
        until = time.monotonic() + within
        while True:
            found = await self.run_of(run)
            if found.completed_at is not None:
                return found
            await asyncio.sleep(_pause(run, until, every))

    async def changes(self, **filters: Any) -> AsyncIterator[ApiChange]:
        """What changed, newest first."""
        async for change in _each(self._client.changes(**filters)):
            yield change

    async def records(self, **filters: Any) -> AsyncIterator[ApiRecord]:
        """The records that match filters."""
        async for record in _each(self._client.records(**filters)):
            yield record

    async def learn(self, source_id: str, titles: Sequence[str], **more: Any) -> LearnedRecipe:
        """Learns the recipe of a source from texts of its stored page."""
        return await asyncio.to_thread(self._client.learn, source_id, titles, **more)


async def _each(found: Iterator[Any]) -> AsyncIterator[Any]:
    """The items of an iterator, each waited for in a thread: it may send a call."""
    end = object()
    while (item := await asyncio.to_thread(next, found, end)) is not end:
        yield item


def _pause(run: str, until: float, every: float) -> float:
    """How long to wait before a run is asked for again."""
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError(f"run {run} has not ended in time; it goes on")
    return min(every, left)


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return value.isoformat() if isinstance(value, date) else str(value)


def _refusal(error: HTTPError) -> ApiError:
    said = error.read()
    try:
        problem = json.loads(said)
        problem = problem.get("error", problem)
        return ApiError(error.code, str(problem["code"]), str(problem.get("detail") or problem.get("message")))
    except (ValueError, KeyError, AttributeError):
        return ApiError(error.code, "unknown", said[:200].decode(errors="replace"))


def _source(said: Mapping[str, Any]) -> ApiSource:
    same = {name: said[name] for name in ("id", "name", "url", "enabled", "health", "job_id")}
    return ApiSource(**same, tags=tuple(said["tags"]), next_run_at=_time(said["next_run_at"]), fields=said)


def _record(said: Mapping[str, Any]) -> ApiRecord:
    same = {name: said[name] for name in ("id", "kind", "title", "url", "organisation")}
    deadline = said.get("deadline")
    return ApiRecord(
        **same,
        deadline=date.fromisoformat(deadline[:10]) if deadline else None,
        published_at=_time(said.get("published_at")),
        fields=said,
    )


def _change(found: Mapping[str, Any], said: Mapping[str, Any]) -> ApiChange:
    return ApiChange(
        change=said["change"],
        record_id=said["id"],
        kind=said["kind"],
        title=said["title"],
        url=said["url"],
        fields={each["field"]: (each["before"], each["after"]) for each in said["fields"]},
        source_id=found["source_id"],
        source_name=found["source_name"],
        run_id=found["run_id"],
        at=datetime.fromisoformat(found["at"]),
    )


def _run(said: Mapping[str, Any]) -> ApiRun:
    return ApiRun(
        id=said["id"],
        status=said["status"],
        started_at=datetime.fromisoformat(said["started_at"]),
        completed_at=_time(said["completed_at"]),
        pages=said["items_crawled"],
        records=said["items_indexed"],
        error=said["error_message"],
        fields=said,
    )


def _time(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
