"""What is misspelt is refused, not ignored."""

import pytest

from tests.web.asgi_client import Ask


@pytest.mark.parametrize(
    ("path", "status"),
    [
        pytest.param("/api/v1/frontier", 422, id="frontier"),
        pytest.param("/api/v1/sources", 422, id="sources"),
        pytest.param("/api/v1/records", 422, id="records"),
        pytest.param("/api/admin/tasks", 400, id="tasks, in the envelope"),
        pytest.param("/admin/crawl/status", 422, id="a path without parameters"),
    ],
)
async def test_a_parameter_that_does_not_exist_is_named(ask: Ask, path: str, status: int) -> None:
    reply = await ask(f"{path}?statsu=failed")

    assert reply.status == status
    assert "statsu" in reply.text


async def test_parameters_that_exist_are_taken(ask: Ask) -> None:
    assert (await ask("/api/v1/frontier?status=failed&limit=5")).status == 200
    assert (await ask("/api/admin/tasks?status=failed&per_page=5")).status == 200
