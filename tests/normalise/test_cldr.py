"""Words of one language, or those about which all agree."""

import pytest
from babel import localedata

from lamplighter.normalise.cldr import LANGUAGES, TimeDistance, base_language, fold, names_of, tokens, undisputed


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Déc.", "dec"),
        ("ARALIK", "aralik"),
        ("Aralık", "aralik"),
        ("İstanbul", "istanbul"),
        ("أبريل", "ابريل"),
        ("월", "월"),
    ],
)
def test_folding_leaves_out_what_people_leave_out(text: str, folded: str) -> None:
    assert fold(text) == folded


def test_scripts_without_spaces_are_read_by_the_character() -> None:
    assert tokens("3天前 ago") == ["3", "天", "前", "ago"]


@pytest.mark.parametrize(
    ("language", "base"), [("pt-BR", "pt"), ("zh_Hant", "zh"), ("EN", "en"), ("", None), (None, None)]
)
def test_the_base_of_a_language(language: str | None, base: str | None) -> None:
    assert base_language(language) == base


def test_a_language_has_its_months_countries_and_spans() -> None:
    german = names_of("de")

    assert german.months["janner"] == german.months["januar"] == 1
    assert german.territories["deutschland"] == "DE"
    assert german.spans["vor # tagen"] == TimeDistance("day", -1)


def test_no_language_has_the_words_of_another() -> None:
    chinese = set(names_of("zh").months)

    assert not chinese & set(names_of("he").months)


@pytest.mark.parametrize("language", ["xx", "", "../de", "root", "DE", "\x00"])
def test_an_unknown_language_has_no_words(language: str) -> None:
    assert not any(names_of(language))


def test_what_is_disputed_is_left_out() -> None:
    assert undisputed([{"lis": 11, "maj": 5}, {"lis": 10, "maj": 5}]) == {"maj": 5}


def test_babel_keeps_no_language_in_memory_after_us() -> None:
    names_of.cache_clear()

    for language in LANGUAGES[:3]:
        names_of(language)

    assert not localedata._cache
