"""Tags are given by words, by the published rule, and the page that publishes them tells the truth."""

import re

import pytest

from lamplighter.normalise.jobs.mission_tags import MISSION_TAGS, mission_tags
from lamplighter.normalise.jobs.mission_words import MISSION_WORDS
from lamplighter.normalise.vocabulary import words_of
from tests.repository import ROOT

PAGE = ROOT / "docs" / "mission-tags.md"


def tags(title: str = "", description: str = "", given: tuple[str, ...] = ()) -> list[str]:
    return mission_tags(
        title=words_of(title), tags=[words_of(tag) for tag in given], description=words_of(description)
    )[0]


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Registered Nurse", ["health"]),
        ("WASH Officer", ["water_sanitation"]),
        ("Climate Finance Specialist", ["climate", "finance_admin"]),
        ("Refugee Protection Officer", ["migration"]),
        ("Data Migration Engineer", ["technology_data"]),
        ("Krankenpfleger (m/w/d)", ["health"]),
        ("Chargé de communication", ["communications"]),
        ("Profesor de matemáticas", ["education"]),
        ("Бухгалтер", ["finance_admin"]),
        ("人权官员", ["human_rights"]),
        ("Nursery worker", []),
        ("Waiter", []),
    ],
)
def test_a_word_of_the_title_is_enough(title: str, expected: list[str]) -> None:
    assert tags(title) == expected


def test_the_pages_own_tags_count_like_the_title() -> None:
    assert tags("Officer", given=("Human rights", "Food")) == ["human_rights"]


@pytest.mark.parametrize(
    ("description", "expected"),
    [
        pytest.param("The nurse works in public health.", ["health"], id="two different words"),
        pytest.param("The nurse, a nurse, every nurse.", [], id="one word, said again"),
        pytest.param("A university degree and health insurance in a fair environment.", [], id="in passing"),
        pytest.param("You know Python and SQL.", [], id="a profession takes three"),
        pytest.param("You know Python and SQL and write software.", ["technology_data"], id="a profession has three"),
    ],
)
def test_a_description_needs_more(description: str, expected: list[str]) -> None:
    assert tags("Officer", description) == expected


def test_only_the_five_with_most_evidence_are_kept() -> None:
    title = "Nurse, teacher, lawyer, accountant, logistician and demining journalist"

    assert len(tags(title)) == 5
    assert "health" in tags(title, "nurse, public health, midwife")


def test_every_tag_has_words_and_every_word_a_tag() -> None:
    assert MISSION_WORDS.keys() == MISSION_TAGS.keys()


def test_the_published_page_lists_the_tags() -> None:
    published = dict(re.findall(r"^\| `(\w+)` \| (.+) \|$", PAGE.read_text(), re.MULTILINE))

    assert published == MISSION_TAGS
