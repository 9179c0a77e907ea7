"""The pay of a job: {min, max, currency, period} where the text is clear about it, unknown otherwise."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from lamplighter.normalise.fields import PageContext
from lamplighter.normalise.products.money import Amount, amounts_in, currency_of, ranges_in, read_price, surest_sign
from lamplighter.normalise.vocabulary import vocabulary, words_of

_LONGEST = 200
_REMEMBERED = 1_024
#: an amount without a currency sign may be anything, unless it is too large for anything but a salary, and no year
_PLAINLY_PAY = 1_000
_YEARS = range(1990, 2101)

_PERIODS = vocabulary(
    {
        "hour": """
            hour, hourly, hr, std, stunde, stundenlohn, heure, horaire, hora, ora, uur, godzin*, timme, timen, час,
            tunti, 时, 小时, 時給, 시급
        """,
        "day": """
            day, daily, tag, tagessatz, jour, journalier, día, dia, giorno, dag, dzień, день, päivä, 天, 日給, 일급
        """,
        "week": "week, weekly, woche, semaine, semana, settimana, vecka, uke, tydzień, неделя, viikko, 周, 週",
        "month": """
            month, monthly, monat*, mois, mensuel*, mes, mensual*, mês, mensal, mese, mensile, maand*, miesiąc*,
            månad*, mån, mnd, måned*, kuukau*, měsíč*, měsíc, месяц*, міс, ay, aylık, شهر, شهريا, 月, 월급
        """,
        "year": """
            year, yearly, annual*, annum, pa, p a, yr, jahr*, année, annuel*, an, año, anual*, ano, anno, annuo,
            annua, jaar*, rok, rocznie, år, årlig*, vuosi, ročně, год, рік, yıl, yıllık, 年, 연봉
        """,
    }
)
_UPWARDS = re.compile(
    r"(?:from|starting at|at least|ab|mindestens|à partir de|dès|desde|a partir de|da|vanaf|od|från|fra|от|від)\s*\Z",
    re.I,
)
_DOWNWARDS = re.compile(r"(?:up to|max\.?|maximum|bis(?: zu)?|jusqu.?à|hasta|até|fino a|tot|do|upp till|до)\s*\Z", re.I)
#: 38 hours per week are not pay per week
_WORKING_TIME = re.compile(
    r"\d+(?:[.,]\d+)?\s*-?\s*(?:hours?|hrs?|h|std\.?|stunden|heures|horas|ore|uur|timmar|timer|tuntia)\b"
    r"(?:\W{0,3}\w{1,6}){0,2}?\W{0,3}(?:weekly|week|woche|semaine|semana|settimana|vecka|uge|uke|viikko|viikossa)\b",
    re.IGNORECASE,
)
_AND_MORE = re.compile(r"\s*\+")


def read_salary(value: object, seen: PageContext) -> dict[str, Any] | None:
    """The pay in a text, a number or schema.org's parts."""
    if isinstance(value, Mapping):
        return _from_parts(value, seen)
    text = str(value)[:_LONGEST] if isinstance(value, (str, int, float)) and not isinstance(value, bool) else ""
    period = _period(_WORKING_TIME.sub(" ", text))
    amounts = _plain_amounts(text, amounts_in(text), period)
    bounds = _bounds(text, amounts)
    if bounds is None:
        return None
    return _salary(*bounds, currency_of(surest_sign(amounts), seen), period)


@lru_cache(_REMEMBERED)
def _period(text: str) -> str | None:
    return _PERIODS.first(words_of(text))


def _from_parts(parts: Mapping[str, Any], seen: PageContext) -> dict[str, Any] | None:
    low, high = read_price(parts.get("min"), seen), read_price(parts.get("max"), seen)
    if low is None and high is None:
        return None
    given = parts.get("currency")
    sign = given if isinstance(given, str) else (low and low.sign) or (high and high.sign)
    period = _period(str(parts.get("period") or "")[:_LONGEST])
    return _salary(low and low.lowest, high and high.lowest, currency_of(sign, seen), period)


def _salary(low: float | None, high: float | None, currency: str | None, period: str | None) -> dict[str, Any]:
    if low is not None and high is not None and low > high:
        low, high = high, low
    salary = {"min": low, "max": high, "currency": currency, "period": period}
    return {name: part for name, part in salary.items() if part is not None}


def _plain_amounts(text: str, amounts: list[Amount], period: str | None) -> list[Amount]:
    """The amounts that are money: by their sign, by being in a range with one that has a sign, or by their size."""
    paired = [amount for pair in ranges_in(text, amounts) if pair[0].sign or pair[1].sign for amount in pair]
    signed = [amount for amount in amounts if amount.sign or amount in paired]
    if signed:
        return signed
    return [
        amount
        for amount in amounts
        if amount.value >= _PLAINLY_PAY and (period is not None or int(amount.value) not in _YEARS)
    ]


def _bounds(text: str, amounts: list[Amount]) -> tuple[float | None, float | None] | None:
    if len(amounts) == 2 and (pair := next(ranges_in(text, amounts), None)):
        return _scaled(text, *pair)
    if len(amounts) != 1:
        return None
    amount = amounts[0]
    if _UPWARDS.search(text, 0, amount.start) or _AND_MORE.match(text, amount.end):
        return amount.value, None
    if _DOWNWARDS.search(text, 0, amount.start):
        return None, amount.value
    return amount.value, amount.value


def _scaled(text: str, low: Amount, high: Amount) -> tuple[float, float]:
    """45-60k means 45,000 to 60,000: the thousands are written once."""
    said_once = high.value >= _PLAINLY_PAY and low.value < _PLAINLY_PAY and "k" in text[high.start : high.end].lower()
    return (low.value * 1000 if said_once else low.value), high.value
