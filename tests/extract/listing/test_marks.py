"""What is no part of a title."""

import pytest

from lamplighter.extract.listing.marks import is_code, without_marks


@pytest.mark.parametrize(
    "decorated",
    ["· Water Engineer", "•Water Engineer", "› Water Engineer", "[New] Water Engineer", "Water Engineer [NEW]",
     "Water Engineer (12)",
     "» Water Engineer »", "★ Water Engineer", "- Water Engineer", "▶ [Neu] Water Engineer", "Water Engineer →"],
)  # fmt: skip
def test_bullets_arrows_and_news_marks_are_taken_off(decorated: str) -> None:
    assert without_marks(decorated) == "Water Engineer"


@pytest.mark.parametrize(
    "title",
    ["Driver (m/f)", "C++ developer", "Officer [Re-advertised]", "3 nurses", "-", "[New]", "Socks (3 pack)",
     "Nurse (m/w/d)", "Clerk (2 posts)"],
)  # fmt: skip
def test_what_belongs_to_a_title_stays(title: str) -> None:
    assert without_marks(title) == title


@pytest.mark.parametrize("text", ["HB8-016-A2", "26000242A", "VA/2031/17"])
def test_signs_and_digits_in_one_word_are_a_code(text: str) -> None:
    assert is_code(text)


@pytest.mark.parametrize("text", ["Hex bolt M8", "Driver", "P3 officer", ""])
def test_names_are_no_codes(text: str) -> None:
    assert not is_code(text)
