"""Does the API describe itself, wholly?"""

import re
import time
from typing import Any

import pytest

from lamplighter.web.api.description import describe, operations
from lamplighter.web.server import assembled
from tests.web.asgi_client import Ask
from tests.web.promised_paths import PROMISED

DOCUMENT: dict[str, Any] = describe(assembled())
#: paths that describe others
BESIDE = {"GET /openapi.json", "GET /docs"}


def test_every_promised_path_is_described() -> None:
    described = {f"{method.upper()} {re.sub('{[^}]*}', '{}', path)}" for path, method, _ in operations(DOCUMENT)}

    assert PROMISED - described == BESIDE


@pytest.mark.parametrize(
    ("path", "form"),
    [("/api/v1/jobs/{job_id}", "application/problem+json"), ("/api/admin/tasks/{task_id}", "application/json")],
)
def test_errors_are_described_in_the_form_of_their_family(path: str, form: str) -> None:
    answers = DOCUMENT["paths"][path]["get"]["responses"]

    assert list(answers["404"]["content"]) == [form]
    assert answers["404"]["content"][form]["example"]


def test_whatever_needs_a_role_says_how_to_prove_it() -> None:
    unsaid = [
        path
        for path, _, operation in operations(DOCUMENT)
        if ("security" in operation) != (operation["x-role"] != "public")
    ]

    assert unsaid == []


async def test_programs_and_people_get_the_same_description(ask: Ask) -> None:
    document, page = (await ask("/openapi.json")).json, await ask("/docs")

    assert document["openapi"].startswith("3.1")
    assert page.headers["content-type"].startswith("text/html")
    assert all(path in page.text for path in document["paths"])


def test_operations_have_names_that_people_would_choose() -> None:
    names = [operation["operationId"] for _, _, operation in operations(DOCUMENT)]

    assert len(set(names)) == len(names)
    assert [name for name in names if not re.fullmatch(r"[a-z]+[A-Za-z0-9]*", name) or len(name) > 40] == []
    assert {"addTakedown", "listSources", "createSource", "learnRecipe", "addNotificationChannel"} <= set(names)
    assert {"bindSecret", "listSettings", "changeSettings", "bulkChangeSources", "exportRecords"} <= set(names)


def test_no_operation_that_changes_something_is_called_get() -> None:
    changing = [operation["operationId"] for _, method, operation in operations(DOCUMENT) if method != "get"]

    assert changing
    assert [name for name in changing if name.startswith("get")] == []


async def test_the_page_has_bodies_with_fields_types_and_an_example(ask: Ask) -> None:
    page = (await ask("/docs")).text

    call = page.split('id="addTakedown"')[1].split("</details>")[0]

    assert "<code>reason</code>" in call
    assert "<strong>required</strong>" in call
    assert "curl -X POST" in call


async def test_what_changes_nothing_can_be_tried_from_the_page(ask: Ask) -> None:
    page = (await ask("/docs")).text
    tried = re.findall(r'<form class="try" method="get" action="([^"]+)"', page)

    sent_from_here = re.findall(r'data-method="(\w+)" data-path="([^"]+)"', page)

    assert "/api/v1/sources" in tried
    assert {("GET", "/api/v1/sources/{source_id}"), ("POST", "/api/v1/takedowns")} <= set(sent_from_here)
    assert [path for _, path in sent_from_here if path.endswith("/events") or "/stream" in path] == []
    assert [path for path in tried if "{" in path or "events" in path.split("/")[-1]] == []
    assert (await ask("/api/v1/sources")).status == 200


@pytest.mark.parametrize("path", ["/openapi.json", "/docs"])
async def test_the_description_is_written_and_compressed_once(ask: Ask, path: str) -> None:
    first = await ask(path, accept_encoding="gzip")
    began = time.process_time()

    again = [await ask(path, accept_encoding="gzip") for _ in range(30)]

    assert first.headers["content-encoding"] == "gzip"
    assert {reply.text for reply in again} == {first.text}
    # Writing and compressing it takes more than that each time.
    assert (time.process_time() - began) / 30 < 0.01
