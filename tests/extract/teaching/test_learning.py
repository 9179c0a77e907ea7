"""Recipes learned from examples: the rows that are meant, and the shortest selectors that last."""

import pytest

from lamplighter.errors import BadInput
from tests.extract.teaching.lessons import recipe_of, records_of, taught

OFFERS = "".join(
    f'<div class="offer"><div class="headline">Keeper {n}</div><div class="where">Town {n}</div>'
    f'<p>Closing: {n} May 2027</p><a href="/about">Us</a> <a href="/offer/{n}">Details</a></div>'
    for n in range(1, 6)
)
ADVERT = '<div class="offer promo"><div class="headline">Advertise here</div><a href="/premium">Details</a></div>'
BOARD = (
    '<nav><ul><li><a href="/">Home</a><li><a href="/about">About</a></ul></nav>'
    f'<main><h1>Vacancies</h1>{OFFERS}{ADVERT}<a class="on" href="?page=2">Further</a></main>'
)
TABLE = "<table><tr><th>Post<th>Place<th>Until" + "".join(
    f"<tr><td><a href=/post/{n}>Nurse {n}</a><td>Town {n}<td>{n} May 2027" for n in range(1, 5)
)


def test_one_title_finds_all_rows_like_its_own() -> None:
    assert len(taught(BOARD, ("title", "Keeper 2")).rows) == 6


def test_what_is_wrong_is_left_out_with_all_that_is_like_it() -> None:
    two = BOARD.replace(ADVERT, ADVERT * 2)

    recipe = recipe_of(two, ("title", "Keeper 2"), ("wrong", "Advertise here"))

    assert recipe["items"] == ".offer:not(.promo)"


def test_a_row_that_looks_like_the_others_is_left_out_by_its_address() -> None:
    page = "<ul>" + "".join(f"<li><a href=/post/{n}>Nurse {n}</a></li>" for n in range(1, 5))

    records = records_of(page, ("title", "Nurse 1"), ("wrong", "Nurse 3"))

    assert [record["title"] for record in records] == ["Nurse 1", "Nurse 2", "Nurse 4"]


def test_the_link_is_the_one_that_leads_elsewhere_from_every_row() -> None:
    records = records_of(BOARD, ("title", "Keeper 2"), ("wrong", "Advertise here"))

    assert records[2] == {"title": "Keeper 3", "url": "https://example.org/offer/3"}


def test_a_field_is_named_by_one_example_in_any_row() -> None:
    records = records_of(BOARD, ("title", "Keeper 2"), ("location", "Town 4"))

    assert [record.get("location") for record in records] == ["Town 1", "Town 2", "Town 3", "Town 4", "Town 5", None]


def test_a_label_that_all_rows_have_is_no_part_of_the_value() -> None:
    records = records_of(BOARD, ("title", "Keeper 2"), ("deadline", "Closing: 3 May 2027"))

    assert records[0]["deadline"] == "1 May 2027"


def test_the_link_to_the_next_page_is_learned() -> None:
    assert recipe_of(BOARD, ("title", "Keeper 2"), ("next", "Further"))["next"] == ".on"


def test_columns_of_a_table_are_told_by_their_number() -> None:
    recipe = recipe_of(TABLE, ("title", "Nurse 2"), ("location", "Town 3"))

    assert recipe == {"items": "tr", "fields": {"title": "a", "url": "a", "location": "td:nth-child(2)"}}
    assert taught(TABLE, ("title", "Nurse 2")).notes == ()


def test_a_column_next_to_others_like_it_is_not_a_list_of_rows() -> None:
    bare = "<ul>" + "".join(f"<li><div>Nurse {n}</div><div>Goma</div><a href=/{n}>Details</a>" for n in range(3))

    assert [record["title"] for record in records_of(bare, ("title", "Nurse 1"))] == ["Nurse 0", "Nurse 1", "Nurse 2"]


def test_two_titles_in_two_lists_find_the_rows_of_both() -> None:
    sections = "".join(
        f"<section class=of-{part}><h2>{part}</h2>"
        + "".join(f"<article><h3><a href=/{part}/{n}>Post {part} {n}</a></h3></article>" for n in range(3))
        + "</section>"
        for part in ("sea", "land", "air")
    )
    menu = "<aside><article><h3><a href=/x>Elsewhere</a></h3></article></aside>"

    titles = [
        record["title"] for record in records_of(sections + menu, ("title", "Post sea 1"), ("title", "Post air 2"))
    ]

    assert len(titles) == 9
    assert "Elsewhere" not in titles


def test_names_that_people_chose_are_preferred_to_generated_ones() -> None:
    page = "<div id=root>" + "".join(
        f'<div class="css-1q2w3e job"><span class="sc-fzXfMv">Nurse {n}</span><a href=/j/{n}>Details</a></div>'
        for n in range(4)
    )

    recipe = recipe_of(page, ("title", "Nurse 2"))

    assert recipe["items"] == ".job"
    assert recipe["fields"]["title"] == "span"


def test_structure_is_preferred_to_generated_names() -> None:
    page = "<p class=css-1q2w3e>Not this</p><div id=root><section>" + "".join(
        f"<div class=css-1q2w3e><b>Nurse {n}</b><a href=/j/{n}>Details</a></div>" for n in range(4)
    )

    recipe = recipe_of(page, ("title", "Nurse 2"))

    assert "css" not in str(recipe)


def test_a_selector_that_may_not_last_says_so() -> None:
    page = "".join(
        f"<div class=css-1q2w3e><div class=sc-kAbCd1>Nurse {n}</div><div class=sc-fzXf22>Goma</div></div>"
        for n in range(4)
    )

    notes = taught(page, ("title", "Nurse 2"), ("location", "Goma")).notes

    assert any("looks fragile: it has a position among its neighbours" in note for note in notes)


def test_a_word_in_bold_stands_for_its_title() -> None:
    page = "<ul>" + "".join(f"<li><h3><a href=/{n}>Nurse <b>number {n}</b></a></h3></li>" for n in range(4))

    assert records_of(page, ("title", "number 2"))[0]["title"] == "Nurse number 0"


def test_a_date_for_programs_is_read_where_there_is_one() -> None:
    page = "<ul>" + "".join(
        f"<li><a href=/{n}>Nurse {n}</a> <time datetime=2027-05-0{n}>May {n}</time>" for n in range(1, 5)
    )

    assert records_of(page, ("title", "Nurse 2"), ("published_at", "May 3"))[0]["published_at"] == "2027-05-01"


def test_quotes_dashes_and_blanks_need_not_be_typed_as_they_stand() -> None:
    page = "<ul>" + "".join(f"<li><a href=/{n}>The keeper\u2019s  aide \u2013 {n}</a>" for n in range(4))

    assert len(taught(page, ("title", "the keeper's aide - 2")).rows) == 4


@pytest.mark.parametrize(
    ("named", "message"),
    [
        pytest.param([("title", "Keper 2")], "the page does not show 'Keper 2'; did you mean 'Keeper 2'?", id="a slip"),
        pytest.param([("title", "Keeper 2"), ("location", "Home")], "is in none of the 6 rows", id="elsewhere"),
        pytest.param([("location", "Town 1")], "point at a title first", id="no title"),
        pytest.param([("title", "Keeper 2"), ("colour", "Town 1")], "'colour' cannot be taught", id="unknown"),
    ],
)
def test_an_example_that_cannot_be_used_is_named(named: list[tuple[str, str]], message: str) -> None:
    with pytest.raises(BadInput, match=message.replace("?", r"\?")):
        taught(BOARD, *named)
