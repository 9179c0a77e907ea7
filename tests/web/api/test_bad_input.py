"""A client's mistake, at whatever path: the right status, the right form of error, and nothing is changed by it."""

import re
from typing import Any, NamedTuple
from uuid import uuid4

import pytest
import sqlalchemy as sa

from lamplighter.app import Service, Store
from lamplighter.operations.sources import source_import
from lamplighter.store.schema import tables
from lamplighter.web import routes
from lamplighter.web.page_ids import shown
from tests.web.api.given_sources import on_sqlite, watched
from tests.web.api.given_tasks import a_domain, a_task
from tests.web.asgi_client import Ask, Reply

NOWHERE = str(uuid4())


class Place(NamedTuple):
    """Things that are there, to be misused."""

    source: str
    url: str
    job: str
    domain: int
    task: int


@pytest.fixture
async def place(service: Service, ask: Ask, store: Store) -> Place:
    """An installation with one source that nobody runs, one domain and one submitted page."""
    source = await watched(service, ask, "harbour")
    domain = await a_domain(store)
    return Place(source.source_id, "https://harbour.example/", source.job_id, domain, await a_task(ask, domain))


async def _everything(store: Store) -> dict[str, list[Any]]:
    """All rows of all tables."""
    async with store.db.read() as db:
        return {
            table.name: sorted(map(repr, await db.execute(sa.select(table)))) for table in tables.metadata.sorted_tables
        }


def _is_in_form(path: str, reply: Reply) -> bool:
    """Whether an error is told as this path tells errors."""
    if path.startswith(("/api/admin/", "/api/products")):
        body = reply.json
        return body["success"] is False and set(body["error"]) == {"code", "message", "details"}
    is_problem = reply.headers["content-type"] == "application/problem+json"
    return is_problem and reply.json["status"] == reply.status and bool(reply.json["code"] and reply.json["detail"])


def _code(reply: Reply) -> str:
    body = reply.json
    return str(body["error"]["code"] if "error" in body else body["code"])


#: method, path, body, status, code; {source}, {job}, {domain}, {task} and {url} are those that are there
Mistake = tuple[str, str, Any, int, str]
MISTAKES: list[Mistake] = [
    # wrong types
    ("POST", "/api/v1/sources", {"url": 5}, 422, "invalid_input"),
    ("POST", "/api/v1/sources", ["https://a.example/"], 422, "invalid_input"),
    ("POST", "/api/v1/sources", {"url": "https://a.example/", "max_depth": "deep"}, 422, "invalid_input"),
    ("POST", "/api/v1/sources", {"url": "https://a.example/", "colour": "red"}, 422, "invalid_input"),
    ("POST", "/admin/sources", {"careers_url": None}, 422, "invalid_input"),
    ("POST", "/api/v1/jobs", {"source_id": "{source}", "interval_minutes": "often"}, 422, "invalid_input"),
    ("POST", "/api/v1/takedowns", {"domain_or_url": {}}, 422, "invalid_input"),
    ("POST", "/api/admin/tasks", {"domain_id": "one", "url": "https://shop.example/2"}, 400, "INVALID_REQUEST"),
    ("POST", "/api/admin/domains", {"domain_name": 7}, 400, "INVALID_REQUEST"),
    ("POST", "/api/admin/tasks", {"domain_id": "{domain}", "url": ""}, 400, "INVALID_URL"),
    ("POST", "/api/admin/tasks", {"domain_id": "{domain}", "url": None}, 400, "INVALID_URL"),
    ("POST", "/api/admin/tasks", {"domain_id": "{domain}"}, 400, "INVALID_REQUEST"),
    ("PATCH", "/api/admin/tasks/{task}/priority", {"priority": "high"}, 400, "INVALID_PRIORITY"),
    ("PATCH", "/api/admin/tasks/{task}/priority", {"priority": 2.5}, 400, "INVALID_PRIORITY"),
    ("PATCH", "/api/admin/tasks/{task}/priority", {}, 400, "INVALID_REQUEST"),
    # what is there already
    ("POST", "/api/v1/sources", {"url": "{url}"}, 409, "duplicate_url"),
    ("POST", "/admin/sources", {"org_name": "H", "careers_url": "{url}#top"}, 409, "duplicate_url"),
    ("POST", "/api/v1/sources/{source}/clone", {"url": "{url}"}, 409, "duplicate_url"),
    ("POST", "/api/admin/tasks", {"domain_id": "{domain}", "url": "https://shop.example/1"}, 409, "DUPLICATE_URL"),
    (
        "POST",
        "/api/admin/domains",
        {"domain_name": "shop.example", "base_url": "https://shop.example"},
        409,
        "DOMAIN_EXISTS",
    ),
    # what is not there
    *(
        (method, f"/api/v1/sources/{NOWHERE}{verb}", body, 404, "source_not_found")
        for method, verb, body in [
            ("GET", "", None),
            ("PUT", "", {"url": "https://b.example/"}),
            ("PATCH", "", {"tags": ["a"]}),
            ("DELETE", "", None),
            ("DELETE", "/permanent", None),
            ("POST", "/test", None),
            ("POST", "/clone", {"url": "https://b.example/"}),
            ("GET", "/executions", None),
        ]
    ),
    ("POST", f"/api/v1/jobs/{NOWHERE}/pause", None, 404, "job_not_found"),
    ("POST", f"/api/v2/jobs/{NOWHERE}/force-run", None, 404, "job_not_found"),
    ("GET", f"/api/v1/executions/{NOWHERE}", None, 404, "execution_not_found"),
    ("POST", "/admin/crawl/run", {"source_id": NOWHERE}, 404, "source_not_found"),
    ("POST", "/api/admin/tasks/99/restart", None, 404, "TASK_NOT_FOUND"),
    ("DELETE", "/api/admin/tasks/99", None, 404, "TASK_NOT_FOUND"),
    ("GET", "/api/admin/tasks/stats?domain_id=99", None, 404, "DOMAIN_NOT_FOUND"),
    ("POST", "/api/admin/tasks/restart-failed", {"domain_id": 99}, 404, "DOMAIN_NOT_FOUND"),
    ("POST", f"/api/v1/frontier/{shown(99)}/retry", None, 404, "page_not_found"),
    ("DELETE", f"/api/v1/frontier/{shown(99)}", None, 404, "page_not_found"),
    ("PATCH", "/api/admin/domains/99", {"parser_name": "auto"}, 404, "DOMAIN_NOT_FOUND"),
    ("POST", "/api/admin/proxies/99/enable", None, 404, "PROXY_NOT_FOUND"),
    ("GET", "/api/products/99", None, 404, "PRODUCT_NOT_FOUND"),
    # ids of another kind, or of none
    ("GET", "/api/v1/sources/{job}", None, 404, "source_not_found"),
    ("POST", "/api/v1/jobs/{source}/pause", None, 404, "job_not_found"),
    ("DELETE", "/api/v1/frontier/{source}", None, 404, "page_not_found"),
    ("DELETE", "/api/v1/sources/{task}", None, 422, "invalid_input"),
    ("DELETE", "/api/admin/tasks/{source}", None, 400, "INVALID_REQUEST"),
    *(
        ("DELETE", f"/api/admin/tasks/{number}", None, 400, "INVALID_REQUEST")
        for number in (0, -1, 2**63, "+1", "1.0", "0_1", "1e0", "1 ")
    ),
    # what the present state does not allow
    ("POST", "/api/v1/jobs/{job}/resume", None, 409, "not_possible"),
    ("POST", "/api/v1/jobs/{job}/retry", None, 409, "not_possible"),
    ("POST", "/api/v1/sources/{source}/restore", None, 409, "not_deleted"),
    ("POST", "/api/admin/tasks/{task}/restart-parsing", None, 400, "HTML_NOT_AVAILABLE"),
    # too much
    ("GET", "/api/v1/sources?limit=251", None, 422, "invalid_input"),
    ("GET", "/api/v1/sources?offset=99999999999999999999", None, 422, "invalid_input"),
    ("GET", "/api/admin/tasks?per_page=101", None, 400, "INVALID_REQUEST"),
    ("GET", "/api/admin/tasks?page=99999999999", None, 400, "INVALID_REQUEST"),
    ("POST", "/api/v1/sources/bulk", {"action": "delete", "ids": [NOWHERE] * 10_001}, 422, "invalid_input"),
    (
        "POST",
        "/api/admin/tasks/batch",
        {"domain_id": "{domain}", "urls": [f"https://shop.example/{n}" for n in range(10_001)]},
        400,
        "INVALID_REQUEST",
    ),
]


def _filled(value: Any, place: Place) -> Any:
    """A case with the ids of what is there."""
    if isinstance(value, dict):
        return {name: _filled(each, place) for name, each in value.items()}
    if value in ("{domain}", "{task}"):
        return getattr(place, value[1:-1])
    if isinstance(value, str):
        for name, each in place._asdict().items():
            value = value.replace(f"{{{name}}}", str(each))
    return value


async def test_a_mistake_gets_its_status_in_the_form_of_its_path_and_changes_nothing(
    ask: Ask, store: Store, place: Place
) -> None:
    before = await _everything(store)

    for method, path, body, status, code in MISTAKES:
        reply = await ask(_filled(path, place), method=method, json=_filled(body, place))

        assert (reply.status, _code(reply)) == (status, code), (method, path, reply.text[:300])
        assert _is_in_form(path, reply), (method, path, reply.text[:300])
    assert await _everything(store) == before


def _described(paths: dict[str, Any], method: str, path: str) -> set[str]:
    """The statuses with which a request may be answered, as the description has it; what is spelt out comes first."""
    for template in sorted(paths, key=lambda each: each.count("{")):
        pattern = re.sub(r"\{\w+\}", "[^/]+", template)
        if re.fullmatch(pattern, path.partition("?")[0]) and method.lower() in paths[template]:
            return set(paths[template][method.lower()]["responses"])
    raise AssertionError(f"{method} {path} is not described")


@on_sqlite
async def test_every_refusal_is_described(ask: Ask, place: Place) -> None:
    paths = (await ask.get("/openapi.json")).json["paths"]
    trials = [f"/admin/sources/{place.source}/{verb}" for verb in ("test", "simulate_extract")]
    trials += [f"/api/v1/sources/{place.source}/{verb}" for verb in ("test", "simulate-extract")]
    await ask.delete(f"/api/v1/sources/{place.source}")

    for path in trials:
        assert (await ask.post(path)).status == 409, path
        assert "409" in _described(paths, "POST", path), path
    for method, path, _, status, _ in MISTAKES:
        assert str(status) in _described(paths, method, _filled(path, place)), (method, path, status)
    # as the design has it: a database that fails
    assert "500" in _described(paths, "GET", "/api/admin/tasks")


async def test_a_field_that_may_be_of_several_kinds_is_named_as_it_was_sent(ask: Ask) -> None:
    given = {"url": "https://a.example/", "priority": "urgent", "windows": [{"days": ["someday"]}]}

    reply = await ask.post("/api/v1/sources", given)

    fields = {error["field"] for error in reply.json["errors"]}
    assert "priority" in fields
    assert not [field for field in fields if "[" in field or "-" in field], fields


BODIES = {
    "half an object": b'{"url": "https://a.example/"',
    "nothing": b"",
    "no JSON at all": b"url=https://a.example/",
    "10,000 levels": b'{"url":' * 10_000 + b"1" + b"}" * 10_000,
    "10,000 lists": b"[" * 10_000 + b"]" * 10_000,
    "a number of 5,000 digits": b'{"url": ' + b"9" * 5000 + b"}",
    "a byte that is no UTF-8": b'{"url": "https://a.example/\xff"}',
    "a name twice": b'{"url": "https://a.example/", "url": "https://b.example/", "domain_id": 1}',
    "packed": b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\xab\xae\x05\x00C\xbf\xa6\xa3\x02\x00\x00\x00",
}


async def test_a_body_that_is_no_json_is_refused_wherever_it_is_sent(ask: Ask, store: Store, place: Place) -> None:
    before = await _everything(store)

    for path in ("/api/v1/sources", "/admin/sources", "/api/admin/tasks", "/api/admin/domains", "/api/v1/jobs"):
        for what, body in BODIES.items():
            reply = await ask(path, method="POST", body=body, content_type="application/json", content_encoding="gzip")

            assert reply.status in (400, 422), (path, what, reply.text[:300])
            assert _is_in_form(path, reply), (path, what, reply.text[:300])
    assert await _everything(store) == before


@on_sqlite
async def test_an_object_with_more_names_than_any_request_needs_is_not_looked_at(ask: Ask) -> None:
    most = {f"name_{number}": 1 for number in range(routes.MOST_NAMES)}

    looked_at = await ask.post("/api/v1/sources", most)
    refused = await ask.post("/api/v1/sources", most | {"url": "https://a.example/"})

    assert (looked_at.status, len(looked_at.json["errors"])) == (422, 50)
    assert (refused.status, refused.json["code"]) == (400, "malformed")


@on_sqlite
async def test_a_file_with_too_many_rows_is_refused_as_a_whole(
    ask: Ask, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_import, "MOST_ROWS", 150)
    rows = "".join(f"https://a.example/{number}\n" for number in range(151)).encode()
    before = await _everything(store)

    reply = await ask("/api/v1/sources/import", method="POST", body=rows, content_type="text/plain")

    assert (reply.status, reply.json["code"]) == (422, "invalid_input")
    assert await _everything(store) == before
