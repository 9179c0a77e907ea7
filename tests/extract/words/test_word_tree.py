"""One pattern for many words."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.extract.words.value_types import one_of

_MONTHS = ("mar", "march", "marzo", "may", "märz", "мая")


@pytest.mark.parametrize("word", _MONTHS)
def test_every_word_is_matched_whole(word: str) -> None:
    pattern = re.compile(one_of(_MONTHS))

    found = pattern.match(f"{word}!")

    assert found is not None
    assert found[0] == word


@pytest.mark.parametrize("text", ["", "ma", "april", "xmay"])
def test_no_other_text_is_matched(text: str) -> None:
    assert re.match(one_of(_MONTHS), text) is None


def test_signs_that_mean_something_in_patterns_mean_themselves() -> None:
    pattern = re.compile(one_of(["a.b", "[x]", "^-"]))

    assert [pattern.fullmatch(text) is not None for text in ("a.b", "[x]", "^-", "axb", "x")] == [
        True,
        True,
        True,
        False,
        False,
    ]


_WORDS = st.lists(st.text(alphabet="abä-.]^", min_size=1, max_size=5), min_size=1, max_size=12)


@settings(deadline=None, max_examples=200)
@given(words=_WORDS, text=st.text(alphabet="abä-.]^ ", max_size=20))
def test_it_finds_what_an_alternation_of_the_words_finds(words: list[str], text: str) -> None:
    plain = "|".join(map(re.escape, sorted(set(words), key=len, reverse=True)))

    assert re.findall(one_of(words), text) == re.findall(plain, text)
