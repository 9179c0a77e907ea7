"""Bare values are known by their looks."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.extract.words.value_types import ValueType, date_in, is_currency, is_split_date, value_type

TYPES = {
    ValueType.DATE: "12 May 2025|2025-05-12|12.05.2025|May 12, 2025|1er août 2025|12 de mayo de 2025|5 мая 2025|"
    "2025年5月12日|"
    "31. März 2025|15-Jan-2025|Jan-5-25|Jan-15-2025|15 września 2025|12/05/25|١٧ مايو ٢٠٢٦|٢٠٢٦/٠٥/١٧|۲۰۲۶-۰۵-۱۷",
    ValueType.AGO: "3 days ago|3 DAYS AGO|Vor 3 Tagen|il y a 2 jours|hace 5 horas|há 3 dias|3 dagen geleden|"
    "3 giorni fa|3 dni temu|3 dager siden|3 dagar sedan|3 tuntia sitten|před 3 hodin|3 дня назад|3 дні тому|3 gün önce|"
    "3 GÜN ÖNCE|منذ 3 أيام|3天前|3 日前|3일 전|yesterday",
    ValueType.LEFT: "5 days left|closes in 3 days",
    ValueType.PRICE: "$ 12.50|1.299,00 €|£10|12 zł|CHF 1'200.00|KSh 2,499|Rp150.000|"
    "Rs. 1,299|S/ 49.90|4 990 Ft|₱ 120|12€90|45.00 ر.س",
    ValueType.GRADE: "P-3|G-5|NO-B|D-1|IPSA-10|SB-4",
    ValueType.EMPLOYMENT: "Full-time|Teilzeit|CDD",
    ValueType.MODALITY: "Remote|Hybrid|Home-based",
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [pytest.param(text, kind, id=text) for kind, texts in TYPES.items() for text in texts.split("|")],
)
def test_a_value_is_known_by_its_looks(text: str, expected: ValueType) -> None:
    assert value_type(text) is expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Officer",
        "Room 12",
        "A4",
        "10:30",
        "Geneva, Switzerland",
        "May",
        "12 chairs",
        "Ladder 6 Ft",
        "CA2021-02-016",
    ],
)
def test_other_texts_are_nothing_special(text: str) -> None:
    assert value_type(text) is None


def test_a_date_is_found_in_a_sentence() -> None:
    assert date_in("Applications close on Friday, 3 May 2031 at noon") == "3 May 2031"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("12", "May", True),
        ("May", "12", True),
        ("12 May", "2031", True),
        ("12", "chairs", False),
        ("Hall", "12", False),
    ],
)
def test_a_date_in_pieces_is_put_together(before: str, after: str, expected: bool) -> None:
    assert is_split_date(before, after) is expected


def test_signs_and_codes_are_currencies() -> None:
    assert [is_currency(text) for text in ("€", "USD", "Kč", "A")] == [True, True, True, False]


@settings(deadline=None, max_examples=200)
@given(st.text(alphabet="0123456789 ./-,:€$MayJan年月日ago", max_size=80))
def test_no_text_makes_it_raise(text: str) -> None:
    assert value_type(text) is None or value_type(text) in ValueType
