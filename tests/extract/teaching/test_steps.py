"""Which names last?"""

import pytest

from lamplighter.extract.teaching.lesson import Doubt
from lamplighter.extract.teaching.steps import doubt_about, is_of_one


@pytest.mark.parametrize(
    "name",
    ["job", "job-title", "listing__item", "searchResult", "vacancy_row", "card", "entry-title", "sectionHeading"],
)
def test_names_that_people_chose_last(name: str) -> None:
    assert doubt_about(name) is None
    assert not is_of_one(name)


@pytest.mark.parametrize(
    "name", ["css-1q2w3e", "sc-fzXfMv", "jss142", "_3xYz9k", "Card_title__x7Gh2", "svelte-1abc2de", "a1b2c3d4"]
)
def test_generated_names_do_not(name: str) -> None:
    assert doubt_about(name) is Doubt.GENERATED


@pytest.mark.parametrize("name", ["mt-4", "col-md-6", "text-lg", "d-flex", "w-full", "clearfix", "md:px-2"])
def test_names_about_looks_are_doubtful(name: str) -> None:
    assert doubt_about(name) is Doubt.LAYOUT


@pytest.mark.parametrize("name", ["odd", "first", "is-active", "post-1234", "row-3", "trow2", "featured"])
def test_names_of_one_row_are_not_used(name: str) -> None:
    assert is_of_one(name)
