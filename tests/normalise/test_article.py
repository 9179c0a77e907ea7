"""Names without what stands around them, and a fair count of words."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.normalise.kind_fields import read_author, word_count


@pytest.mark.parametrize(
    ("value", "author"),
    [
        ("By Ann Lee", "Ann Lee"),
        ("Von Anna Meier", "Anna Meier"),
        ("Von Neumann", "Von Neumann"),
        ("von der Leyen", "von der Leyen"),
        ("Da Silva", "Da Silva"),
        ("Oscar de la Renta", "Oscar de la Renta"),
        ("Text: Eva Müller", "Eva Müller"),
        ("作者：王伟", "王伟"),
        ("Ann Lee, Staff Writer", "Ann Lee"),
        ("Ann Lee | 12 March 2026", "Ann Lee"),
        ("By ANN LEE on March 3, 2026", "ANN LEE"),
        ("Par Jean Dupont et Marie Curie", "Jean Dupont, Marie Curie"),
        ("ann@news.example (Ann Lee)", "Ann Lee"),
        ("Ann, Bob, Ann", "Ann, Bob"),
        ("https://social.example/ann", None),
        ("ann@news.example", None),
        ("Editor", None),
    ],
)
def test_authors(value: str, author: str | None) -> None:
    assert read_author(value) == author


@settings(deadline=None, max_examples=300)
@given(
    st.text(max_size=60)
    | st.lists(st.sampled_from("By Von von de Ann Lee and , | 12 March Editor a@b.c Da Silva on".split())).map(" ".join)
)
def test_reading_names_again_gives_the_same(text: str) -> None:
    once = read_author(text)

    assert once is None or read_author(once) == once


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("two words", 2),
        ("drei schöne Wörter", 3),
        ("it's a well-known fact", 4),
        ("你好世界", 2),
        ("Python 你好。", 2),
        ("안녕 세상", 2),
        ("", 0),
    ],
)
def test_two_chinese_or_japanese_characters_are_a_word(text: str, count: int) -> None:
    assert word_count(text) == count
