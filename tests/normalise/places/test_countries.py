"""A country is known by any of its names, in any language, or by its code."""

import pytest
from babel import Locale
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.normalise.cldr import LANGUAGES, names_of
from lamplighter.normalise.places import countries
from lamplighter.normalise.places.countries import ENGLISH_NAMES, country_coded, country_of

COUNTRIES = "AF BR CH CI CN CZ DE DO EG ES ET FR GB GE GN GQ GW IN JP KE KP KR LA MM NE NG RU SY TR UA US VN ZA".split()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_country_is_known_by_its_name_in_each_language(language: str) -> None:
    names = {code: Locale.parse(language).territories[code] for code in COUNTRIES}

    assert {code: country_of(name) for code, name in names.items()} == {code: code for code in COUNTRIES}


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("USA", "US"),
        ("U.S.", "US"),
        ("United States of America", "US"),
        ("the United States", "US"),
        ("UK", "GB"),
        ("Great Britain", "GB"),
        ("England", "GB"),
        ("Scotland", "GB"),
        ("Wales", "GB"),
        ("DR Congo", "CD"),
        ("DRC", "CD"),
        ("Democratic Republic of the Congo", "CD"),
        ("Congo, The Democratic Republic of the", "CD"),
        ("Congo (Kinshasa)", "CD"),
        ("République démocratique du Congo", "CD"),
        ("Republic of the Congo", "CG"),
        ("Congo-Brazzaville", "CG"),
        ("Ivory Coast", "CI"),
        ("Côte d’Ivoire", "CI"),
        ("COTE D'IVOIRE", "CI"),
        ("Burma", "MM"),
        ("Myanmar", "MM"),
        ("Turkey", "TR"),
        ("Türkiye", "TR"),
        ("Syria", "SY"),
        ("Syrian Arab Republic", "SY"),
        ("Palestine", "PS"),
        ("State of Palestine", "PS"),
        ("Occupied Palestinian Territory", "PS"),
        ("OPT", "PS"),
        ("Gaza", "PS"),
        ("Kosovo", "XK"),
        ("Korea, South", "KR"),
        ("Republic of Korea", "KR"),
        ("Korea (Republic of)", "KR"),
        ("Democratic People's Republic of Korea", "KP"),
        ("Lao PDR", "LA"),
        ("Viet Nam", "VN"),
        ("Cabo Verde", "CV"),
        ("Swaziland", "SZ"),
        ("Macedonia", "MK"),
        ("Tanzania, United Republic of", "TZ"),
        ("Iran (Islamic Republic of)", "IR"),
        ("Bolivia (Plurinational State of)", "BO"),
        ("Venezuela, Bolivarian Republic of", "VE"),
        ("Republic of Moldova", "MD"),
        ("Republic of Kenya", "KE"),
        ("Federal Republic of Germany", "DE"),
        ("Russian Federation", "RU"),
        ("Czech Republic", "CZ"),
        ("Saint Lucia", "LC"),
        ("St. Lucia", "LC"),
        ("Trinidad and Tobago", "TT"),
        ("Bosnia & Herzegovina", "BA"),
        ("Hong Kong", "HK"),
        ("The Netherlands", "NL"),
        ("UKRAINE", "UA"),
        ("Deutschland", "DE"),
        ("Россия", "RU"),
        ("مصر", "EG"),
        ("中国", "CN"),
        ("대한민국", "KR"),
    ],
)
def test_a_country_is_known_by_what_people_call_it(name: str, code: str) -> None:
    assert country_of(name) == code


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("Niger", "NE"),
        ("Nigeria", "NG"),
        ("Guinea", "GN"),
        ("Guinea-Bissau", "GW"),
        ("Equatorial Guinea", "GQ"),
        ("Papua New Guinea", "PG"),
        ("Dominica", "DM"),
        ("Dominican Republic", "DO"),
        ("Samoa", "WS"),
        ("American Samoa", "AS"),
        ("Sudan", "SD"),
        ("South Sudan", "SS"),
    ],
)
def test_similar_names_are_different_countries(name: str, code: str) -> None:
    assert country_of(name) == code


@pytest.mark.parametrize(
    "name",
    ["Congo", "Kongo", "Korea", "Virgin Islands", "Republic of China", "Africa", "European Union", "World", "Atlantis"],
)
def test_what_is_no_one_country_is_unknown(name: str) -> None:
    assert country_of(name) is None


@pytest.mark.parametrize(
    ("code", "expected"),
    [("UA", "UA"), ("ua", "UA"), ("UKR", "UA"), ("ukr", None), ("UK", "GB"), ("EU", None), ("ZZ", None), ("QQQ", None)],
)
def test_codes_of_two_letters_in_any_case_and_of_three_in_capitals(code: str, expected: str | None) -> None:
    assert country_of(code) == expected


@settings(deadline=None, max_examples=300)
@given(st.text(max_size=120))
def test_no_text_is_too_odd_for_a_country(text: str) -> None:
    code = country_of(text)

    assert code is None or country_coded(code) == code


def test_the_countries_known_without_cldr_are_those_of_cldr() -> None:
    assert set(ENGLISH_NAMES) == set(names_of("en").territories.values()) - countries.NO_COUNTRIES
    assert {code: country_of(name) for code, name in ENGLISH_NAMES.items()} == {code: code for code in ENGLISH_NAMES}
