"""What a site asks of whoever keeps a page counts from the answer on that says so, whatever its body does."""

from datetime import timedelta

import pytest

from lamplighter.model.page import HeldBody
from lamplighter.model.visit import NO_VALIDATORS, Fetched, NotModified
from lamplighter.rules.robots import terms
from lamplighter.rules.robots.terms import Terms
from tests.moments import NOON

URL = "https://a.example/"
HEADER, ROBOTS, META = "header content-usage: train-ai=n", "robots content-usage: search=n", "meta tdm-reservation: 1"


def _had(robots_tag: str | None = None, usage: str | None = None) -> HeldBody:
    return HeldBody(
        hash="h", key="k", validators=NO_VALIDATORS, content_type="text/html", robots_tag=robots_tag, usage=usage
    )


def _not_modified(robots_tag: str | None = None, usage: str | None = None) -> NotModified:
    return NotModified(
        url=URL, validators=NO_VALIDATORS, at=NOON, took=timedelta(0), robots_tag=robots_tag, usage=usage
    )


def _fetched(robots_tag: str | None = None, usage: str | None = None) -> Fetched:
    return Fetched(
        url=URL,
        status=200,
        body=b"",
        content_type="text/html",
        validators=NO_VALIDATORS,
        at=NOON,
        took=timedelta(0),
        robots_tag=robots_tag,
        usage=usage,
    )


@pytest.mark.parametrize(
    ("visit", "expected"),
    [
        pytest.param(_not_modified(), Terms("noindex", f"{HEADER}\n{META}"), id="304 that says nothing"),
        pytest.param(_not_modified("noarchive"), Terms("noarchive", f"{HEADER}\n{META}"), id="304 with other words"),
        pytest.param(
            _not_modified(usage=f"header content-usage: search=n\n{ROBOTS}"),
            Terms("noindex", f"header content-usage: search=n\n{ROBOTS}\n{META}"),
            id="304 with other uses",
        ),
        pytest.param(_fetched(), Terms(None, META), id="200 that says nothing"),
        pytest.param(
            _fetched("noindex", f"{HEADER}\n{ROBOTS}"),
            Terms("noindex", f"{HEADER}\n{ROBOTS}\n{META}"),
            id="200 with robots.txt's word",
        ),
    ],
)
def test_terms_after_a_visit_that_left_the_body_as_it_was(visit: Fetched | NotModified, expected: Terms) -> None:
    assert terms.after(visit, _had("noindex", f"{HEADER}\n{META}")) == expected


def test_robots_txt_takes_back_what_it_said() -> None:
    had = _had(usage=f"{HEADER}\n{ROBOTS}")

    assert terms.after(_not_modified(), had) == Terms(None, HEADER)
    assert terms.of_body(had) == Terms(None, f"{HEADER}\n{ROBOTS}")
