"""Does the API describe itself, wholly?"""

import re
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
