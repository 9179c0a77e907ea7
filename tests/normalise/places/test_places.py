"""A place is known as far as its text leaves no doubt."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.normalise.places.countries import country_coded
from lamplighter.normalise.places.places import ParsedPlace, read_place


def where(text: str, language: str | None = None) -> tuple[str | None, str | None]:
    place = read_place(text, language=language)
    return place.country_iso, place.city


NAMED = [
    ("Kyiv, UKRAINE", "UA", "Kyiv"),
    ("Kyiv (Ukraine)", "UA", "Kyiv"),
    ("Ukraine, Kyiv", "UA", "Kyiv"),
    ("Ukraine/Kyiv", "UA", "Kyiv"),
    ("Kenya - Nairobi", "KE", "Nairobi"),
    ("Nairobi – Kenya", "KE", "Nairobi"),
    ("Duty station: Nairobi, Kenya", "KE", "Nairobi"),
    ("Kyiv, UA", "UA", "Kyiv"),
    ("Kyiv, UKR", "UA", "Kyiv"),
    ("UA-Kyiv", "UA", "Kyiv"),
    ("Kenya", "KE", None),
    ("Seoul, Korea, Republic of", "KR", "Seoul"),
    ("Dar es Salaam, Tanzania, United Republic of", "TZ", "Dar es Salaam"),
    ("Tehran, Iran (Islamic Republic of)", "IR", "Tehran"),
    ("Trinidad and Tobago", "TT", None),
    ("Abidjan, Côte d’Ivoire", "CI", "Abidjan"),
    ("Austin, Texas", "US", "Austin"),
    ("Austin, TX, USA", "US", "Austin"),
    ("US-TX-Austin", "US", "Austin"),
    ("United States-Ohio-Dayton", "US", "Dayton"),
    ("Guinea-Bissau", "GW", None),
    ("Toronto, ON", "CA", "Toronto"),
    ("Sydney NSW", "AU", "Sydney"),
    ("London, ENG", "GB", "London"),
    ("London, UK", "GB", "London"),
    ("75001 Paris, France", "FR", "Paris"),
    ("San Juan, Puerto Rico, USA", "PR", "San Juan"),
    ("Hong Kong, China", "HK", None),
    ("Singapore, Singapore", "SG", "Singapore"),
    ("Tunis, Tunisie", "TN", "Tunis"),
    ("Москва, Россия", "RU", "Москва"),
    ("日内瓦, 瑞士", "CH", "日内瓦"),
    ("القاهرة، مصر", "EG", "القاهرة"),
    ("Country Office, Kenya", "KE", None),
    ("Germany, DE", "DE", None),
]


@pytest.mark.parametrize(("text", "country", "city"), NAMED)
def test_where_the_country_is_named(text: str, country: str, city: str | None) -> None:
    assert where(text) == (country, city)


@pytest.mark.usefixtures("without_geo")
def test_where_the_country_is_named_cities_need_not_be_known() -> None:
    assert [(text, *where(text)) for text, _, _ in NAMED] == NAMED


@pytest.mark.parametrize(
    ("text", "country", "city"),
    [
        pytest.param("Nairobi", "KE", "Nairobi", id="the city that everybody means"),
        pytest.param("10115 Berlin", "DE", "Berlin", id="with its postcode"),
        pytest.param("北京", "CN", "北京", id="in two characters"),
        pytest.param("New York", "US", "New York", id="a city and a state"),
        pytest.param("New York, NY", "US", "New York", id="a city in the state"),
        pytest.param("Birmingham", None, "Birmingham", id="one of two"),
        pytest.param("Nairobi, Westlands", "KE", "Nairobi", id="and its district"),
        pytest.param("Boston, Lincolnshire", None, "Boston", id="not the one that everybody means"),
        pytest.param("Springfield, IL", "US", "Springfield", id="IL: Illinois"),
        pytest.param("Tel Aviv, IL", "IL", "Tel Aviv", id="IL: Israel"),
        pytest.param("Los Angeles, CA", "US", "Los Angeles", id="CA: California"),
        pytest.param("Vancouver, CA", "CA", "Vancouver", id="CA: Canada"),
        pytest.param("Berlin, DE", "DE", "Berlin", id="DE: Germany"),
        pytest.param("Dover, DE", "US", "Dover", id="DE: Delaware"),
        pytest.param("Perth, WA", "AU", "Perth", id="WA: Western Australia"),
        pytest.param("Seattle, WA", "US", "Seattle", id="WA: Washington"),
        pytest.param("Genève, GE", "CH", "Genève", id="GE: the canton"),
        pytest.param("Atlanta, Georgia", "US", "Atlanta", id="Georgia: the state"),
        pytest.param("Tbilisi, Georgia", "GE", "Tbilisi", id="Georgia: the country"),
        pytest.param("Kinshasa, Congo", "CD", "Kinshasa", id="Congo: the one with that capital"),
        pytest.param("Lebanon, PA", "US", "Lebanon", id="a town named like a country"),
        pytest.param("Jamaica, NY", "US", "Jamaica", id="a borough named like a country"),
        pytest.param("Paris, TX", "US", "Paris", id="a town named like a capital"),
        pytest.param("Milano, MI", None, "Milano", id="not in Michigan"),
    ],
)
def test_where_the_city_tells(text: str, country: str | None, city: str) -> None:
    assert where(text) == (country, city)


@pytest.mark.parametrize(
    ("text", "language", "country"),
    [("Milano (MI)", "it", "IT"), ("Curitiba, PR", "pt-BR", "BR"), ("Kraków, małopolskie", "pl", "PL")],
)
def test_the_pages_language_settles_a_doubt_about_a_city(text: str, language: str, country: str) -> None:
    assert where(text, language)[0] == country


@pytest.mark.parametrize(
    "text",
    [
        *("Georgia", "Congo", "CA", "DE", "Atlantis", "N/A", "TBD", "", ",", "Europe", "Remote areas of Kenya"),
        "We will have Turkey for dinner in Jordan",
    ],
)
def test_a_doubtful_country_stays_unknown(text: str) -> None:
    assert where(text)[0] is None


@pytest.mark.usefixtures("without_geo")
def test_without_knowledge_of_cities_more_stays_unknown() -> None:
    doubtful = [("Nairobi", "en"), ("Springfield, IL", "en"), ("Atlanta, Georgia", "en"), ("Perth, WA", "en")]
    foreign = [("Milano (MI)", "it"), ("Genève, GE", "fr")]

    assert not any(where(text, language)[0] for text, language in doubtful + foreign)


@pytest.mark.parametrize(
    ("text", "country"),
    [
        ("Home-based", None),
        ("Home based - Kenya", "KE"),
        ("Remote - Kenya", "KE"),
        ("Remote (US)", "US"),
        ("US Remote", "US"),
        ("Remote, Europe", None),
        ("Remote within Germany", "DE"),
        ("Islamabad, Pakistan (Home-based)", "PK"),
        ("TELECOMMUTE", None),
        ("Work from anywhere", None),
        ("Homeoffice, Deutschland", "DE"),
        ("Télétravail", None),
        ("Teletrabajo, España", "ES"),
        ("Remoto, Brasil", "BR"),
        ("Praca zdalna", None),
        ("Удалённо", None),
        ("Віддалено, Україна", "UA"),
        ("Uzaktan, Türkiye", "TR"),
        ("عن بعد", None),
        ("远程", None),
        ("リモート", None),
        ("재택근무", None),
    ],
)
def test_work_at_home_is_remote(text: str, country: str | None) -> None:
    assert read_place(text, language=None) == ParsedPlace(
        country, None if country != "PK" else "Islamabad", True, False
    )


@pytest.mark.parametrize("text", ["Not remote, Berlin", "Kein Homeoffice", "Remote areas of Kenya", "Hybrid, London"])
def test_what_only_sounds_remote_is_not(text: str) -> None:
    assert not read_place(text, language=None).is_remote


@pytest.mark.parametrize(
    ("text", "country"),
    [
        ("Multiple locations", None),
        ("Various", None),
        ("2 Locations", None),
        ("Worldwide", None),
        ("Mehrere Standorte", None),
        ("Plusieurs lieux", None),
        ("Varias ubicaciones, México", "MX"),
        ("Geneva / Nairobi", None),
        ("Geneva, Nairobi, New York", None),
        ("Nairobi or Mombasa", "KE"),
        ("Nairobi, Kenya; Kampala, Uganda", None),
        ("Nairobi (Kenya), Kampala (Uganda)", None),
        ("Kenya, Uganda, Tanzania", None),
        ("Kenya and Uganda", None),
        ("Nairobi, Kenya +2 more", "KE"),
    ],
)
def test_several_places_are_multiple(text: str, country: str | None) -> None:
    place = read_place(text, language=None)

    assert place.is_multiple
    assert place.country_iso == country


@pytest.mark.usefixtures("without_geo")
def test_two_names_are_two_places_even_where_no_city_is_known() -> None:
    assert read_place("Geneva / Nairobi", language=None) == ParsedPlace(None, None, is_remote=False, is_multiple=True)


pieces = st.sampled_from(
    "Kenya Nairobi Georgia CA IL US - , / ( ) ; and or remote various Congo Republic of 10115 Москва 北京 +2".split()
)


@settings(deadline=None, max_examples=300)
@given(
    text=st.text(max_size=80) | st.lists(pieces, max_size=15).map(" ".join), language=st.sampled_from([None, "it", "?"])
)
def test_no_text_is_too_odd_for_a_place(text: str, language: str | None) -> None:
    place = read_place(text, language=language)

    assert place.country_iso is None or country_coded(place.country_iso) == place.country_iso
    assert place.city is None or place.city in " ".join(text.split())


@pytest.mark.parametrize("text", [", " * 200, "a / " * 100, "(" * 400, "Kenya and " * 40, "remote " * 60])
def test_long_texts_are_read_in_bounded_steps(text: str) -> None:
    assert read_place(text, language="en").country_iso in (None, "KE")


@pytest.mark.parametrize(
    ("text", "language", "country", "city"),
    [
        pytest.param("عمّان، الأردن", "ar", "JO", "عمّان", id="Amman, which is Oman without its mark"),
        pytest.param("عمان - الأردن", "ar", "JO", "عمان", id="without the mark"),
        pytest.param("مسقط، عمان", "ar", "OM", "مسقط", id="Muscat, Oman"),
        pytest.param("عمان", "ar", None, None, id="one of the two"),
        pytest.param("القاهرة، مصر", "ar", "EG", "القاهرة", id="Cairo, Egypt"),
        pytest.param("Granada, España", "es", "ES", "Granada", id="not Grenada"),
        pytest.param("Spain - Granada", "en", "ES", "Granada", id="the country first"),
        pytest.param("Salvador, Brazil", "en", "BR", "Salvador", id="not El Salvador"),
        pytest.param("Granada", "es", None, None, id="a town, or an island"),
        pytest.param("Salvador", "en", None, "Salvador", id="English calls the country otherwise"),
        pytest.param("盧安達", "zh", None, None, id="Rwanda to some, Luanda to others"),
        pytest.param("Armenia", "en", "AM", None, id="the country, though there is a town"),
        pytest.param("Lebanon, Oregon, United States", "en", "US", "Lebanon", id="a state tells"),
        pytest.param("Benin, Nigeria", "en", None, None, id="two countries"),
        pytest.param("Kenya-Nairobi", "en", "KE", "Nairobi", id="joined by a hyphen"),
        pytest.param("Niger-Delta", "en", None, None, id="a hyphen within a name"),
        pytest.param("नेपाल", "hi", "NP", None, id="a script whose vowels are marks"),
    ],
)
def test_a_town_with_a_countrys_name(text: str, language: str, country: str | None, city: str | None) -> None:
    assert where(text, language) == (country, city)
