"""Words of a closed vocabulary are found as whole words, in any script, and nowhere else."""

import pytest

from lamplighter.normalise.vocabulary import vocabulary, words_in, words_of

COLOURS = vocabulary({"dark": "black, noir, schwarz*, dark red, 黑", "red": "red, rouge, dark red, kırmızı, красн*"})


@pytest.mark.parametrize(
    ("text", "hits"),
    [
        pytest.param("A BLACK cat", {"dark": 1}, id="in any case"),
        pytest.param("blackbird, infrared", {}, id="not inside another word"),
        pytest.param("Schwarzwald", {"dark": 1}, id="a word that may go on"),
        pytest.param("dark-red", {"dark": 1, "red": 2}, id="a phrase, with the hyphen as a space"),
        pytest.param("dark and red", {"red": 1}, id="a phrase only together"),
        pytest.param("black, noir", {"dark": 2}, id="different words are counted"),
        pytest.param("black black", {"dark": 1}, id="the same word is counted once"),
        pytest.param("красная", {"red": 1}, id="Cyrillic"),
        pytest.param("KIRMIZI, Kırmızı", {"red": 1}, id="Turkish"),
        pytest.param("一只黑猫", {"dark": 1}, id="Chinese, anywhere"),
        pytest.param("", {}, id="nothing"),
    ],
)
def test_words_are_found(text: str, hits: dict[str, int]) -> None:
    assert COLOURS.hits(words_of(text)) == hits


def test_the_first_code_of_the_table_wins() -> None:
    assert COLOURS.first(words_of("red and black")) == "dark"


def test_accents_have_one_form() -> None:
    assert words_in("cafe\u0301 Cafe\u0301") == words_in("café CAFÉ") == ["café", "café"]


def test_a_word_that_may_go_on_is_long_enough_to_be_looked_up() -> None:
    with pytest.raises(ValueError, match="needs 4 letters"):
        vocabulary({"red": "re*"})
