"""Any date that a site writes becomes the moment it means, or stays unknown."""

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Literal

import pytest
from babel.dates import format_date
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.normalise.cldr import LANGUAGES
from lamplighter.normalise.dates.dates import ParsedMoment, read_when

SEEN_AT = datetime(2025, 12, 1, 10, 30, tzinfo=UTC)
THE_11TH = datetime(2025, 12, 11, tzinfo=UTC)

Prefers = Literal["past", "future"] | None


def read(text: str, language: str | None = None, prefers: Prefers = None) -> ParsedMoment | None:
    return read_when(text, language=language, seen_at=SEEN_AT, prefers=prefers)


def moment(text: str, language: str | None = None, prefers: Prefers = None) -> datetime | None:
    when = read(text, language, prefers)
    return when.moment if when else None


def iso(text: str, language: str | None = None, prefers: Prefers = None) -> str | None:
    found = moment(text, language, prefers)
    return found.isoformat() if found else None


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("2025-12-11", id="ISO"),
        pytest.param("20251211", id="ISO, basic"),
        pytest.param("2025-W50-4", id="ISO, by the week"),
        pytest.param("2025-12-11T00:00:00Z", id="ISO, a whole day with its zone"),
        pytest.param("2025/12/11", id="year first"),
        pytest.param("2025.12.11.", id="year first, Hungarian dots"),
        pytest.param("11.12.2025", id="dots: the day is first everywhere"),
        pytest.param("11. 12. 2025", id="dots and spaces"),
        pytest.param("Dec-11-25", id="English, dashes, a short year"),
        pytest.param("11-Dec-2025", id="English, dashes"),
        pytest.param("11 Dec 25", id="English, a short year"),
        pytest.param("December 11th, 2025", id="English, an ordinal"),
        pytest.param("the 11th of December, 2025", id="English in full"),
        pytest.param("11DEC2025", id="English without spaces"),
        pytest.param("11 déc. 2025", id="French"),
        pytest.param("11. Dezember 2025", id="German"),
        pytest.param("11 de dezembro de 2025", id="Portuguese"),
        pytest.param("11 de diciembre del 2025", id="Spanish"),
        pytest.param("11 декабря 2025 г.", id="Russian"),
        pytest.param("11 грудня 2025 р.", id="Ukrainian"),
        pytest.param("11 grudnia 2025 r.", id="Polish"),
        pytest.param("11 Aralık 2025", id="Turkish"),
        pytest.param("11 ARALIK 2025", id="Turkish in capitals"),
        pytest.param("11 Δεκεμβρίου 2025", id="Greek"),
        pytest.param("2025. december 11.", id="Hungarian"),
        pytest.param("2025. gada 11. decembris", id="Latvian"),
        pytest.param("2025 m. gruodžio 11 d.", id="Lithuanian"),
        pytest.param("11 בדצמבר 2025", id="Hebrew"),
        pytest.param("ngày 11 tháng 12 năm 2025", id="Vietnamese"),
        pytest.param("11 दिसंबर 2025", id="Hindi"),
        pytest.param("2025年12月11日", id="Chinese and Japanese"),
        pytest.param("２０２５年１２月１１日", id="wide figures"),
        pytest.param("令和7年12月11日", id="Japanese, the year of an era"),
        pytest.param("2025년 12월 11일", id="Korean"),
        pytest.param("١١ ديسمبر ٢٠٢٥", id="Arabic"),
        pytest.param("11 كانون الأول/ديسمبر 2025", id="Arabic, both calendars' names, as the UN writes"),
        pytest.param("11 كانون الأول 2025", id="Arabic, a month of two words"),
        pytest.param("Posted on 11 Dec 2025", id="with a label"),
        pytest.param("Closing date: Thursday 11 December 2025", id="with a label and a weekday"),
        pytest.param("11 December 2025 (5 days left)", id="with a remark"),
    ],
)
def test_a_day_is_read(text: str) -> None:
    assert read(text) == ParsedMoment(THE_11TH, has_time=False, is_relative=False)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        pytest.param("1° aprile 2025", "it", id="the sign of a degree"),
        pytest.param("1º de abril de 2025", "pt", id="a raised o"),
        pytest.param("1.º de abril de 2025", "es", id="a raised o after a dot"),
        pytest.param("1er avril 2025", "fr", id="French"),
        pytest.param("1-ви април 2025", "bg", id="Bulgarian"),
        pytest.param("1-го апреля 2025", "ru", id="Russian"),
    ],
)
def test_the_first_of_a_month_is_no_month(text: str, language: str) -> None:
    assert moment(text, language, "future") == datetime(2025, 4, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "year"),
    [("令和元年5月7日", 2019), ("令和1年5月7日", 2019), ("平成31年4月7日", 2019), ("平成2年4月7日", 1990)],
)
def test_the_years_of_an_era_begin_with_one(text: str, year: int) -> None:
    found = moment(text, "ja")

    assert found is not None
    assert found.year == year


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_day_is_read_as_each_language_writes_it(language: str) -> None:
    days = [date(2025, month, day) for month in range(1, 13) for day in (3, 17)]

    texts = [format_date(day, "long", locale=language) for day in days]

    assert [moment(text, language.replace("_", "-")) for text in texts] == [
        datetime(day.year, day.month, day.day, tzinfo=UTC) for day in days
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("2025-12-31T23:59:59+02:00", "2025-12-31T23:59:59+02:00", id="ISO with a zone"),
        pytest.param("2025-12-31 23:59:59 +0200", "2025-12-31T23:59:59+02:00", id="nearly ISO"),
        pytest.param("2025-12-31T10:00", "2025-12-31T10:00:00+00:00", id="no zone is UTC"),
        pytest.param("1764584400", "2025-12-01T10:20:00+00:00", id="seconds"),
        pytest.param("1764584400000", "2025-12-01T10:20:00+00:00", id="milliseconds"),
        pytest.param("Mon, 02 Mar 2026 12:00:00 +0200", "2026-03-02T12:00:00+02:00", id="RFC 2822"),
        pytest.param("Mon, 02 Mar 2026 12:00:00 GMT", "2026-03-02T12:00:00+00:00", id="RFC 2822, named zone"),
        pytest.param("December 11, 2025 | 3:45 p.m.", "2025-12-11T15:45:00+00:00", id="dots in p.m."),
        pytest.param("11.12.25 17:00 CET", "2025-12-11T17:00:00+01:00", id="short year and zone"),
        pytest.param(
            "Thursday, 11 December 2025 at 23:59 (Geneva time)", "2025-12-11T23:59:00+01:00", id="a city's time, winter"
        ),
        pytest.param("11 July 2025, 5 pm New York time", "2025-07-11T17:00:00-04:00", id="a city's time, summer"),
        pytest.param("jeudi 11 décembre 2025 - 23h59", "2025-12-11T23:59:00+00:00", id="French hours"),
        pytest.param("2025年12月11日 14:30", "2025-12-11T14:30:00+00:00", id="Chinese"),
        pytest.param("23:59, 11 December 2025", "2025-12-11T23:59:00+00:00", id="the time first"),
        pytest.param("11 December 2025, midnight", "2025-12-11T23:59:00+00:00", id="midnight ends the day"),
        pytest.param("2025-12-31T24:00", "2025-12-31T23:59:00+00:00", id="so does 24:00"),
    ],
)
def test_a_time_of_day_is_read_in_its_zone(text: str, expected: str) -> None:
    when = read(text)

    assert when is not None
    assert when.moment.isoformat() == expected
    assert when.has_time


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        pytest.param("en-US", date(2025, 11, 12), id="US: the month is first"),
        pytest.param("en-GB", date(2025, 12, 11), id="UK: the day is first"),
        pytest.param("fr", date(2025, 12, 11), id="French: the day is first"),
        pytest.param("en", None, id="English of no country: unknown"),
        pytest.param(None, None, id="no language: unknown"),
    ],
)
def test_figures_are_read_as_the_language_writes_them(language: str | None, expected: date | None) -> None:
    found = moment("11/12/2025", language)

    assert (found.date() if found else None) == expected


@pytest.mark.parametrize(
    ("text", "prefers", "expected"),
    [
        pytest.param("31/12/2025", None, date(2025, 12, 31), id="there is no 31st month"),
        pytest.param("12/31/2025", None, date(2025, 12, 31), id="wherever it stands"),
        pytest.param("05/05/2025", None, date(2025, 5, 5), id="both readings are the same"),
        pytest.param("12/03/2025", "past", date(2025, 3, 12), id="nothing is published in two days' time"),
        pytest.param("12/03/2025", "future", date(2025, 12, 3), id="no deadline was in March"),
        pytest.param("03/04/2025", "past", None, id="both are past"),
    ],
)
def test_figures_are_read_where_only_one_reading_is_possible(
    text: str, prefers: Prefers, expected: date | None
) -> None:
    found = moment(text, "en", prefers)

    assert (found.date() if found else None) == expected


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        pytest.param("1-15 December 2025", (2025, 12, 1), (2025, 12, 15), id="days"),
        pytest.param("1 – 15 December 2025", (2025, 12, 1), (2025, 12, 15), id="another dash"),
        pytest.param("December 1-15, 2025", (2025, 12, 1), (2025, 12, 15), id="month first"),
        pytest.param("28 Nov - 15 Dec 2025", (2025, 11, 28), (2025, 12, 15), id="one year for both"),
        pytest.param("28 Dec - 15 Jan 2026", (2025, 12, 28), (2026, 1, 15), id="over New Year"),
        pytest.param("from 28 Nov 2025 to 15 Dec 2025", (2025, 11, 28), (2025, 12, 15), id="in words"),
        pytest.param("01.12. - 15.12.2025", (2025, 12, 1), (2025, 12, 15), id="figures"),
        pytest.param("2025-12-01/2025-12-15", (2025, 12, 1), (2025, 12, 15), id="ISO"),
        pytest.param("Dec 1-15", (2025, 12, 1), (2025, 12, 15), id="month first, without a year"),
        pytest.param("Nov 28 – Dec 2, 2025", (2025, 11, 28), (2025, 12, 2), id="month first, over two months"),
        pytest.param("Dec 28 - Jan 3", (2024, 12, 28), (2026, 1, 3), id="month first, over New Year, no year"),
        pytest.param("27. November - 29. November 2025", (2025, 11, 27), (2025, 11, 29), id="the second is no year"),
        pytest.param("25/11/2025 - 26/11/2025", (2025, 11, 25), (2025, 11, 26), id="a year, a dash, a day"),
        pytest.param("25/11/25-26/11/25", (2025, 11, 25), (2025, 11, 26), id="the same, short"),
        pytest.param("December 2025", (2025, 12, 1), (2025, 12, 31), id="a month"),
        pytest.param("2025-12", (2025, 12, 1), (2025, 12, 31), id="a month, ISO"),
    ],
)
def test_of_a_range_the_preferred_end_is_meant(
    text: str, start: tuple[int, int, int], end: tuple[int, int, int]
) -> None:
    assert moment(text, prefers="past") == datetime(*start, tzinfo=UTC)
    assert moment(text, prefers="future") == datetime(*end, tzinfo=UTC)


@pytest.mark.parametrize("prefers", ["past", "future", None])
@pytest.mark.parametrize(
    ("text", "day"),
    [
        pytest.param("Nov-6-25", (2025, 11, 6), id="dashes on both sides: a year"),
        pytest.param("NOV-06-25 (midnight)", (2025, 11, 6), id="before other words"),
        pytest.param("06-Nov-25 17:00", (2025, 11, 6), id="before a time of day"),
        pytest.param("28-3 November 2025", (2025, 11, 3), id="days that descend, before the month"),
        pytest.param("November 28-3, 2025", (2025, 11, 28), id="days that descend, after it"),
    ],
)
def test_a_range_ascends_and_has_no_dash_before_it(text: str, day: tuple[int, int, int], prefers: Prefers) -> None:
    found = moment(text, "en", prefers)

    assert found is not None
    assert found.date() == date(*day)


def test_what_has_begun_this_year_may_end_after_today() -> None:
    assert moment("Nov 20—Dec 21", "en", "past") == datetime(2025, 11, 20, tzinfo=UTC)
    assert moment("Dec 1—21", "en", "past") == datetime(2025, 12, 1, tzinfo=UTC)


@pytest.mark.parametrize(("language", "expected"), [("en-US", (2, 11)), ("en-GB", (11, 2)), ("en", None)])
def test_figures_without_marks_have_an_order_too(language: str, expected: tuple[int, int] | None) -> None:
    found = moment("02112025", language)

    assert (found and (found.month, found.day)) == expected


@pytest.mark.parametrize(
    ("text", "prefers", "year"),
    [
        pytest.param("Dec 11", "future", 2025, id="ahead"),
        pytest.param("Dec 11", "past", 2024, id="last year's"),
        pytest.param("Feb 11", "future", 2026, id="next year's"),
        pytest.param("Oct 2", "future", 2025, id="over for 60 days, and still listed"),
        pytest.param("Oct 1", "future", 2026, id="over for longer"),
        pytest.param("12月11日", None, 2025, id="the nearest"),
        pytest.param("11. Juni", None, 2025, id="of two the nearer"),
    ],
)
def test_a_day_without_a_year_gets_the_nearest_that_fits(text: str, prefers: Prefers, year: int) -> None:
    found = moment(text, "de", prefers)

    assert found is not None
    assert found.year == year


def test_a_deadline_without_a_year_stays_where_it_is_from_day_to_day() -> None:
    first, last = date(2025, 5, 16), date(2026, 5, 11)
    days = [first + timedelta(days=day) for day in range((last - first).days + 1)]

    found = {
        read_when("12 March", language="en", seen_at=datetime(*day.timetuple()[:3], 9, tzinfo=UTC), prefers="future")
        for day in days
    }

    assert found == {ParsedMoment(datetime(2026, 3, 12, tzinfo=UTC), has_time=False, is_relative=False)}


@pytest.mark.parametrize(
    "texts",
    [
        ("closing in 3 days", "closing in 2 days", "closing in 1 day", "closing today"),
        ("noch 3 Tage", "noch 2 Tage", "noch 1 Tag", "endet heute"),
        ("3 jours restants", "2 jours restants", "1 jour restant", "aujourd'hui"),
    ],
)
def test_a_deadline_that_is_counted_down_is_always_the_same_day(texts: tuple[str, ...]) -> None:
    moments = [SEEN_AT + timedelta(days=day) for day in range(len(texts))]

    found = [
        read_when(text, language=None, seen_at=now, prefers="future") for text, now in zip(texts, moments, strict=True)
    ]

    assert {when and when.moment.date() for when in found} == {(SEEN_AT + timedelta(days=3)).date()}


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Posted 30+ Days Ago", "en"),
        ("30 + days ago", "en"),
        (">30 days ago", "en"),
        ("more than 30 days ago", "en"),
        ("over a month ago", "en"),
        ("1 month+ ago", "en"),
        ("5+ days left", "en"),
        ("vor über 30 Tagen", "de"),
        ("il y a plus de 30 jours", "fr"),
        ("hace más de 30 días", "es"),
        ("30+ dagen geleden", "nl"),
        ("более 30 дней назад", "ru"),
        ("30+天前", "zh"),
        ("30日以上前", "ja"),
    ],
)
def test_at_least_so_long_ago_is_no_date(text: str, language: str) -> None:
    assert read(text, language) is None


def test_the_zone_of_a_time_is_not_taken_for_and_more() -> None:
    assert moment("today at 10:00 +0200", "en") == datetime.fromisoformat("2025-12-01T10:00:00+02:00")


@pytest.mark.parametrize(
    "text",
    [
        "12 Mar 25", "12-MAR-25", "12. März 25", "Mar 12, '25", "Mar 12 25", "12 March '25", "12.03.25", "12.03.'25",
    ],
)  # fmt: skip
def test_two_figures_are_a_year_of_this_century(text: str) -> None:
    assert moment(text, "de") == datetime(2025, 3, 12, tzinfo=UTC)


def test_of_two_dates_side_by_side_each_keeps_its_year() -> None:
    text = "February 15, 2025 February 17, 2025 by Maud"

    assert moment(text, "en", "past") == datetime(2025, 2, 15, tzinfo=UTC)
    assert moment(text, "en", "future") == datetime(2025, 2, 17, tzinfo=UTC)


@pytest.mark.parametrize(("month_first", "expected"), [(True, (3, 4)), (False, (4, 3))])
@pytest.mark.parametrize("language", ["en", "en-US", "de", None])
def test_what_the_page_shows_is_more_than_its_language(
    language: str | None, month_first: bool, expected: tuple[int, int]
) -> None:
    found = read_when("03/04/2025", language=language, seen_at=SEEN_AT, month_first=month_first)

    assert found is not None
    assert (found.moment.month, found.moment.day) == expected


@pytest.mark.parametrize(
    ("text", "language", "month"),
    [("11 listopada 2025", "pl", 11), ("11 listopada 2025", "hr", 10), ("11 listopada 2025", "en", None)],
)
def test_a_month_is_that_of_the_pages_language(text: str, language: str, month: int | None) -> None:
    found = moment(text, language)

    assert (found.month if found else None) == month


@pytest.mark.parametrize(
    ("text", "language", "days"),
    [
        ("today", "en", 0),
        ("Yesterday", "en", -1),
        ("closing in 3 days", "en", 3),
        ("3 days left", "en", 3),
        ("2 weeks, 3 days left", "en", 17),
        ("a day ago", "en", -1),
        ("two weeks ago", "en", -14),
        ("vor 3 Tagen", "de", -3),
        ("vor zwei Wochen", "de", -14),
        ("noch 5 Tage", "de", 5),
        ("il y a 5 jours", "fr", -5),
        ("5 jours restants", "fr", 5),
        ("hier", "fr", -1),
        ("hace dos días", "es", -2),
        ("há 3 dias", "pt", -3),
        ("3 giorni fa", "it", -3),
        ("3 dagen geleden", "nl", -3),
        ("3 dni temu", "pl", -3),
        ("för 3 dagar sedan", "sv", -3),
        ("for 3 dager siden", "nb", -3),
        ("for 3 dage siden", "da", -3),
        ("3 päivää sitten", "fi", -3),
        ("před 3 dny", "cs", -3),
        ("2 дня назад", "ru", -2),
        ("3 дні тому", "uk", -3),
        ("3 gün önce", "tr", -3),
        ("منذ ٣ أيام", "ar", -3),
        ("منذ يومين", "ar", -2),
        ("3天前", "zh", -3),
        ("剩余5天", "zh", 5),
        ("3日前", "ja", -3),
        ("5일 전", "ko", -5),
        ("3 days ago", "de", -3),
        ("vor 3 Tagen", None, -3),
    ],
)
def test_a_distance_is_counted_from_when_the_page_was_seen(text: str, language: str | None, days: int) -> None:
    midnight = SEEN_AT.replace(hour=0, minute=0)

    assert read(text, language) == ParsedMoment(midnight + timedelta(days=days), has_time=False, is_relative=True)


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("hace 2 horas", "es", "2025-12-01T08:30:00+00:00"),
        ("an hour ago", "en", "2025-12-01T09:30:00+00:00"),
        ("vor einer Stunde", "de", "2025-12-01T09:30:00+00:00"),
        ("2 小时前", "zh", "2025-12-01T08:30:00+00:00"),
        ("just now", "en", "2025-12-01T10:30:00+00:00"),
        ("Yesterday at 14:30", "en", "2025-11-30T14:30:00+00:00"),
        ("ayer a las 14:30", "es", "2025-11-30T14:30:00+00:00"),
    ],
)
def test_a_distance_may_have_a_time_of_day(text: str, language: str, expected: str) -> None:
    when = read(text, language)

    assert when is not None
    assert when.moment.isoformat() == expected
    assert when.has_time
    assert when.is_relative


def test_an_age_alone_points_where_its_column_does() -> None:
    assert moment("5d", "en", "past") == datetime(2025, 11, 26, tzinfo=UTC)
    assert moment("5 days", "en", "future") == datetime(2025, 12, 6, tzinfo=UTC)
    assert moment("5 days", "en") is None


@pytest.mark.parametrize("prefers", [None, "past", "future"])
@pytest.mark.parametrize("language", ["en", "de", None])
@pytest.mark.parametrize(
    "text",
    [
        *("Until filled", "Open until filled", "Ongoing", "N/A", "TBD", "-", "As soon as possible", "Rolling basis"),
        *("P-3", "Mar", "12", "may", "sat", "Monday", "G-5", "NO-B", "2025", "Q1 2026", "last week", "12 months"),
        *("Apply today", "Apply now", "Hier bewerben", "5 mln", "Nairobi, Kenya", "1.299,00 €", "10.11.12.13"),
        *("+41 22 917 1234", "Ref 2025/123", "VA-2025-12-001", "12/2025", "99/99/9999", "30 February 2026"),
        *("11 ธันวาคม 2568", "20 جمادى الآخرة 1447", "1404/09/20"),
        *("1970-01-01T00:00:00Z", "2141-01-01", "0001-01-01T00:00:00+14:00", "9999999999", "99999 days ago"),
        *("", " ", "\ud800", "11 December 2025 " * 20),
    ],
)
def test_what_is_no_date_stays_unknown(text: str, language: str | None, prefers: Prefers) -> None:
    assert read(text, language, prefers) is None


def test_dateparser_is_asked_for_what_is_left() -> None:
    assert moment("před dvěma týdny", "cs") == datetime(2025, 11, 17, tzinfo=UTC)


words = st.sampled_from(
    "11 12 31 2025 25 Dec December mai . , - / : ago in days vor Tagen 年 月 日 T Z + 23:59 am GMT < > to 1st".split()
)
texts = st.text(max_size=60) | st.lists(words, max_size=10).map(" ".join) | st.lists(words, max_size=10).map("".join)
languages = st.sampled_from([None, "", "en", "en-US", "de", "fr", "zh-Hans-CN", "xx", "\x00", "../en"])
preferences: st.SearchStrategy[Prefers] = st.sampled_from([None, "past", "future"])


@settings(deadline=None, max_examples=400)
@given(text=texts, language=languages, prefers=preferences)
def test_no_text_is_too_odd_and_what_is_read_reads_the_same_again(
    text: str, language: str | None, prefers: Prefers
) -> None:
    when = read(text, language, prefers)

    if when:
        assert read(when.moment.isoformat(), language, prefers) == ParsedMoment(
            when.moment, when.has_time and when.moment.time() != datetime.min.time(), is_relative=False
        )


@settings(deadline=None, max_examples=200)
@given(
    st.datetimes(
        min_value=datetime(1990, 1, 2),
        max_value=datetime(2035, 1, 1),
        timezones=st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes))),
    )
)
def test_every_iso_text_is_read_exactly(given_moment: datetime) -> None:
    assert iso(given_moment.isoformat()) == given_moment.isoformat()
