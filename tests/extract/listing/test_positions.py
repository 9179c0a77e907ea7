"""Where a list was found is remembered: the next page of the same template is read there, or says that it moved."""

from collections.abc import Mapping

import pytest

from lamplighter.extract import ladder
from lamplighter.extract.recipes.recipe import parse_recipe
from lamplighter.model.reading import NO_LISTS, Reading, RowPosition
from lamplighter.model.recipe import EMPTY, Recipe
from tests.extract.listing.test_listing import HOST, framed, repeated

URL = f"{HOST}/jobs"
ROW = "<li><h3><a href='/jobs/N'>TITLE</a></h3><p>Closing date: DAY May 2031</p></li>"
#: larger and fuller than what is left of the list
NEWS = (
    "<section><h2>News</h2>"
    + repeated("<article><h3><a href='/news/N'>TITLE</a></h3><p>DAY May 2031. TITLE in short.</p></article>", 12)
    + "</section>"
)


def jobs(rows: int, *, beside: str = "", tag: str = "ul") -> str:
    return framed(f"<h1>Vacancies</h1><{tag}>{repeated(ROW, rows)}</{tag}>{beside}")


def read(html: str, lists: Mapping[str, RowPosition] = NO_LISTS, recipe: Recipe = EMPTY) -> Reading:
    return ladder.read(html.encode(), url=URL, content_type="text/html", lists=lists, recipe=recipe)


@pytest.fixture
def known() -> dict[str, RowPosition]:
    position = read(jobs(8)).list_at
    assert position is not None
    return {position.template: position}


def addresses(reading: Reading) -> list[str]:
    return [str(record.fields["url"].value) for record in reading.records]


def test_the_same_page_is_read_the_same_way(known: dict[str, RowPosition]) -> None:
    first, again = read(jobs(8)), read(jobs(8), known)

    assert again.records == first.records
    assert again.because == "the list is where it was before: body > main > ul > li"
    assert again.list_at == first.list_at


@pytest.mark.parametrize("rows", [3, 2, 1])
def test_a_list_that_became_short_is_still_the_list(known: dict[str, RowPosition], rows: int) -> None:
    html = jobs(rows, beside=NEWS)
    expected = [f"{URL}/{number + 1}" for number in range(rows)]

    assert addresses(read(html, known)) == expected
    assert addresses(read(html)) != expected
    assert read(html, known).warnings == ()


def test_a_list_that_moved_is_found_anew_and_that_is_said(known: dict[str, RowPosition]) -> None:
    reading = read(jobs(8, tag="ol"), known)

    assert len(reading.records) == 8
    assert reading.warnings == ("the list is no longer at body > main > ul > li: now at body > main > ol > li",)
    assert reading.list_at != next(iter(known.values()))


def test_a_list_that_is_gone_is_missed_unless_the_page_says_that_it_is_empty(known: dict[str, RowPosition]) -> None:
    gone = read(framed("<h1>Vacancies</h1><p>Our pages have moved to another system."), known)
    empty = read(framed("<h1>Vacancies</h1><p>There are no vacancies at the moment.</p>"), known)

    assert gone.warnings == ("the list is no longer at body > main > ul > li: found nowhere else",)
    assert not any("no longer" in warning for warning in empty.warnings)


def test_other_templates_and_other_weights_are_judged_anew(known: dict[str, RowPosition]) -> None:
    (position,) = known.values()
    older = {position.template: position._replace(edition=position.edition + 1)}

    for lists in ({"https://elsewhere.example/page": position}, older):
        reading = read(jobs(8), lists)
        assert "% sure" in reading.because
        assert reading.warnings == ()


def test_a_close_choice_is_not_remembered() -> None:
    doubtful = read(framed("<ul>" + repeated("<li><a href='/a/N'>TITLE</a></li>", 4) + "</ul>"))

    assert doubtful.records
    assert doubtful.list_at is None


def test_a_recipe_overrules_what_is_remembered(known: dict[str, RowPosition]) -> None:
    recipe = parse_recipe({"items": "article", "fields": {"title": "h3", "url": "a"}})

    reading = read(jobs(8, beside=NEWS), known, recipe)

    assert {address.rpartition("/")[0] for address in addresses(reading)} == {f"{HOST}/news"}
