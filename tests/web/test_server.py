"""Which routes exist?"""

from fastapi import FastAPI

from tests.web.conftest import Ask

PUBLIC = {
    ("GET", "/"),
    ("GET", "/bot"),
    ("GET", "/health"),
    ("GET", "/static/lamplighter.css"),
    ("POST", "/demo/remove"),
}


def test_nothing_is_served_that_is_not_listed_here(web: FastAPI) -> None:
    served = {(method, route.path) for route in web.routes for method in route.methods}

    assert served == PUBLIC


async def test_the_documentation_of_the_framework_is_not_served(ask: Ask) -> None:
    assert [(await ask(path)).status for path in ("/docs", "/redoc", "/openapi.json")] == [404, 404, 404]


async def test_a_path_cannot_leave_the_static_folder(ask: Ask) -> None:
    assert (await ask("/static/../pages.py")).status == 404
