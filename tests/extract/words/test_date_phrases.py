"""What the words beside a date say it is."""

import pytest

from lamplighter.extract.words.date_phrases import UNTIL, named_dates


@pytest.mark.parametrize(
    ("text", "date"),
    [
        pytest.param("Apply no later than Friday 3 May 2031", "3 May 2031", id="English, with a weekday"),
        pytest.param("Accepting applications through May 3, 2031", "May 3, 2031", id="English, through"),
        pytest.param("Candidatures jusqu’au 3 mai 2031", "3 mai 2031", id="French"),
        pytest.param("Recibimos postulaciones hasta el 3 de mayo", "3 de mayo", id="Spanish"),
        pytest.param("Inscrições até 3 de maio de 2031", "3 de maio de 2031", id="Portuguese"),
        pytest.param("Candidature entro il 1° maggio 2031", "1° maggio 2031", id="Italian"),
        pytest.param("Reageren kan tot en met 3 mei 2031", "3 mei 2031", id="Dutch"),
        pytest.param("Bewerbung bis zum 3. Mai 2031", "3. Mai 2031", id="German"),
        pytest.param("Aplikuj do dnia 3 maja 2031", "3 maja 2031", id="Polish"),
        pytest.param("Sök senast 3 maj 2031", "3 maj 2031", id="Swedish"),
        pytest.param("Приём заявок до 03.05.2031, 17:00 (МСК)", "03.05.2031, 17:00", id="Russian"),
        pytest.param("Son başvuru 3 Mayıs 2031", "3 Mayıs 2031", id="Turkish"),
        pytest.param("30.3.2031 mennessä", "30.3.2031", id="Finnish, behind it"),
        pytest.param("令和13年5月3日（土）17時まで", "令和13年5月3日", id="Japanese, behind it"),
        pytest.param("（締切：令和13年5月3日）", "令和13年5月3日", id="Japanese, in brackets"),
        pytest.param("2031.05.03 마감", "2031.05.03", id="Korean, behind it"),
        pytest.param("접수기간 ~ 2031.05.03(토)", "2031.05.03", id="a range without a beginning"),
        pytest.param("접수기간 2031.04.01 ~ 2031.05.03", "2031.05.03", id="the end of a range"),
        pytest.param("Bewerbungsfrist 1.4.2031 - 3.5.2031", "3.5.2031", id="the end of a German range"),
    ],
)
def test_the_last_day_to_apply_is_known_by_its_words(text: str, date: str) -> None:
    assert [tuple(found) for found in named_dates(text)] == [("deadline", date)]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Fixed term until 31 December 2031", id="a contract ends"),
        pytest.param("befristet bis 31.12.2031", id="a German contract ends"),
        pytest.param("12 May – 15 May 2031", id="an event lasts some days"),
        pytest.param("Contract from 1 May 2031 to 31 December 2031", id="a contract runs"),
        pytest.param("3 May 2031", id="no words at all"),
    ],
)
def test_what_ends_otherwise_is_no_last_day_to_apply(text: str) -> None:
    assert {found.field for found in named_dates(text)} == {""}


def test_a_last_day_of_nothing_named_is_left_to_the_kind_of_the_rows() -> None:
    assert [found.field for found in named_dates("entro il 3 maggio 2031")] == [UNTIL]


def test_each_date_of_a_line_has_its_own_name() -> None:
    found = named_dates("Posted 3 May 2031, closes 9 June 2031, last updated 4 May 2031")

    assert [date.field for date in found] == ["published_at", "deadline", "updated_at"]
