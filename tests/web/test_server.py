"""Which routes exist?"""

import re

import pytest

from lamplighter.web.all_routes import PARTS
from tests.web.asgi_client import Ask
from tests.web.promised_paths import PROMISED


def served() -> list[str]:
    """Every route as `METHOD /path/{}`, in the order in which they are tried."""
    routes = [route for part in PARTS for route in part.router.routes]
    return [f"{method} {re.sub('{[^}]*}', '{}', route.path)}" for route in routes for method in sorted(route.methods)]


def test_every_path_that_outside_programs_rely_on_is_served() -> None:
    assert sorted(PROMISED - set(served())) == []


def test_no_path_is_served_twice() -> None:
    assert sorted({path for path in served() if served().count(path) > 1}) == []


@pytest.mark.parametrize("path", sorted(path for path in PROMISED if "{}" not in path))
def test_no_path_is_hidden_behind_one_with_an_id(path: str) -> None:
    method, _, plain = path.partition(" ")
    routes = [route for part in PARTS for route in part.router.routes if method in route.methods]

    first = next(route for route in routes if route.path_regex.match(plain))

    assert first.path == plain


async def test_the_documentation_of_the_framework_is_not_served(ask: Ask) -> None:
    assert (await ask("/redoc")).status == 404


async def test_a_path_cannot_leave_the_static_folder(ask: Ask) -> None:
    assert (await ask("/static/../pages.py")).status == 404
