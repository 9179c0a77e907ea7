"""The type of a bare value by its form: a date, a grade, a price, a form of employment. Values are kept as written."""

import re
from collections.abc import Iterable
from enum import StrEnum
from functools import lru_cache
from typing import TypeAlias

_END = ""
_Tree: TypeAlias = "dict[str, _Tree]"


def one_of(words: Iterable[str]) -> str:
    """A pattern for the longest of many words, as a tree: much faster than an alternation, which tries one by one."""
    tree: _Tree = {}
    for word in words:
        branch = tree
        for character in word:
            branch = branch.setdefault(character, {})
        branch[_END] = {}
    return f"(?=[{''.join(map(re.escape, tree))}]){_source(tree)}"


def _source(tree: _Tree) -> str:
    branches = [re.escape(character) + _source(rest) for character, rest in tree.items() if character != _END]
    if not branches:
        return ""
    whole = f"(?:{'|'.join(branches)})" if len(branches) > 1 or _END in tree else branches[0]
    return f"{whole}?" if _END in tree else whole


_MONTH_NAMES = """
    jan january januar janvier enero janeiro gennaio januari ene fev feb february februar fevrier febrero fevereiro
    febbraio februari mar march marz mars marzo marco maart mrt maerz apr april avril abril aprile avr abr may mai mayo
    maio maggio mei mag maj jun june juni juin junio junho giugno giu jul july juli juillet julio julho luglio lug juil
    aug august aout agosto augustus augusti sep sept september septembre septiembre setembro settembre set oct october
    oktober octobre octubre outubro ottobre okt ott out nov november novembre noviembre novembro dec december dezember
    decembre diciembre dezembro dicembre dez dic des desember stycznia lutego marca kwietnia maja czerwca lipca sierpnia
    wrzesnia pazdziernika listopada grudnia ledna unora brezna dubna kvetna cervna cervence srpna zari rijna listopadu
    prosince tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesakuuta heinakuuta elokuuta syyskuuta lokakuuta
    marraskuuta joulukuuta ocak subat mart nisan mayis haziran temmuz agustos eylul ekim kasim aralik styczen luty
    marzec kwiecien czerwiec lipiec sierpien wrzesien pazdziernik listopad grudzien
    января февраля марта апреля мая июня июля августа сентября октября ноября декабря янв фев мар апр июн июл авг сен
    сент окт ноя дек январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь
    січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня
    يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر
    März février août décembre wrzesień września października stycznia února března května června července září října
    mär janv févr juil déc sty lut kwi cze wrz paź gru úno bře kvě čvn čvc srp říj січ лют бер кві жов гру kesäkuuta
    heinäkuuta şubat may\u0131s ağustos eylül kas\u0131m aral\u0131k março
"""
_MONTH = one_of(_MONTH_NAMES.lower().split()) + r"\b\.?"
#: in the digits of Europe, of Arabic and of Persian
_YEAR = r"(?:[1١۱][9٩۹]|[2٢۲][0٠۰])\d\d"
_DAY = r"(?:[0٠۰]?[1-9١-٩۱-۹]|[12١٢۱۲]\d|[3٣۳][01٠١۰۱])(?:st|nd|rd|th|er|e|\.?º|°|-(?:го|е|ви|ри|ти|ми))?"
_MONTH_AND_DAY = r"\s?\d\d?\s?[月월]\s?\d\d?\s?[日일]"
_DATE_TEXT = (
    # The lookaheads tell at once whether figures or a month may begin: most letters of a text begin neither.
    # A docket number such as CA2021-02-016 is no date.
    rf"(?=\d)(?:(?<![A-Za-z\d]){_YEAR}[-/.]\d\d?[-/.]\d\d?(?!\d)(?:[T ]\d\d:\d\d[\d:.+Z-]*)?"
    rf"|\b\d\d?[-/.]\d\d?[-/.](?:{_YEAR}|\d\d)\b"
    rf"|\b{_DAY}[\s./-]{{0,3}}(?:de |of )?{_MONTH}(?:[\s,./-]{{1,3}}(?:de |del )?(?:{_YEAR}|'?\d\d\b))?"
    rf"|{_YEAR}\s?[年년]{_MONTH_AND_DAY}|\b(?=\d){_MONTH_AND_DAY})"
    rf"|(?=[^\W\d])\b{_MONTH}(?:\s{{0,2}}{_DAY}(?:,?\s{{1,2}}{_YEAR})?\b|-{_DAY}-(?:{_YEAR}|\d\d)\b)"
    rf"|(?:令和|平成)\s?(?:\d\d?|元)\s?[年년]{_MONTH_AND_DAY}"
)
_TIME_TEXT = (
    r"(?:[\s,]{1,3}(?:at |um |à |a las )?\d\d?[:h.]\d\d(?::\d\d)?(?:\s?[ap]\.?m\.?)?(?:\s?(?:UTC|GMT|CES?T"
    r"|E[SD]T)\b)?)"
)
DATE = re.compile(rf"(?:{_DATE_TEXT}){_TIME_TEXT}?", re.IGNORECASE)

_UNIT = (
    # Without the lookahead every digit of a number would be compared with every unit.
    r"(?=[^\W\d])(?:s|sec|min|mins|minutes?|h|hrs?|hours?|d|days?|w|wks?|weeks?|mo|months?|years?|stunden?|tage?n?|wochen?"
    r"|monate?n?|jours?|heures?|semaines?"
    r"|mois|d[ií]as?|horas?|semanas?|m[eê]s(?:es)?|giorn[io]|or[ae]|settiman[ae]|mes[ei]|dag(?:en)?|uur|we(?:ek|ken)"
    r"|maand(?:en)?|dni|dzień|godzin[yę]?|tygodni\w*|dagar|timmar|veckor|dager|timer|uker|dage|uger|p[aä]iv[aä]{1,2}"
    r"|tuntia|viikkoa|dn[yůe]m?|hodin\w*|týdn\w*|часов|часа|дней|дня|день|недел\w|днів|дні|тижн\w|g[uü]n|saat|hafta)"
)
_HOW_MANY = r"(?:\d{1,3}\+?|an?|one|une?|una|uno|uma?|een|ein(?:em|er)|en|ett?)"
AGO = re.compile(
    rf"\b{_HOW_MANY}\s?{_UNIT}\s(?:ago|geleden|fa|temu|sedan|siden|sitten|назад|тому|[oö]nce)\b"
    rf"|\b(?:vor|il y a|hace|h[aá]|před) {_HOW_MANY} {_UNIT}\b"
    r"|(?:منذ|قبل) \d{1,3} \w{3,6}"
    r"|\d{1,3}\s?(?:天|小时|分钟)前|\d{1,3}\s?(?:日|時間|分)前|\d{1,3}\s?(?:일|시간|분) ?전",
    re.IGNORECASE,
)
#: without one of these, in lower case, nothing is said to be ago
_SAYS_AGO = re.compile(
    "ago|geleden|fa|temu|sedan|siden|sitten|назад|тому|nce|vor|il y a|hace|h[a\u00e1]|před|منذ|قبل|前|전"
)
LEFT = re.compile(
    rf"\b\d{{1,3}}\s?{_UNIT}\s(?:left|remaining|to go)\b|\bnoch \d{{1,3}} {_UNIT}|\bquedan \d{{1,3}} {_UNIT}"
    rf"|\b(?:closes|closing|ends|expires) in \d{{1,3}} {_UNIT}",
    re.IGNORECASE,
)
#: grades of international organisations and of civil services with the same notation
GRADE = re.compile(
    r"(?:P|D|G|GS|FS|NO|N|L|SC|SB|LICA|IICA|ICS|IPSA|NPSA|UNV|TJO|AD|AST|AST/SC|FG|TV[OÖ]D)[\s-]?\d{1,2}[a-e]?"
    r"(?:\s?[-/]\s?(?:P|D|G|NO)?[\s-]?\d{1,2})?|[EA][\s-]?1\d|NO[\s-]?[A-E]|FG\s?(?:I|II|III|IV)|USG|ASG|ICA|SSA|UNV|IPSA"
    r"|NPSA"
)
CURRENCY = (
    r"[$€£¥\uffe5₹₽₩₺₴₦₪฿₫₱₸₾₡₵]|(?:US|AU|CA|NZ|HK|NT|MX|S|R|C|A)\$|\b(?:USD|EUR|GBP|CHF|JPY|CNY|RMB|AUD|CAD|NZD|SEK"
    r"|NOK|DKK|PLN|CZK|HUF|RON|BGN|ISK|RUB|UAH|TRY|KZT|ILS|EGP|TND|KES|TZS|UGX|NGN|GHS|INR|PKR|LKR|BDT|NPR|IDR|MYR|THB"
    r"|VND|BRL|MXN|ARS|UYU|ZAR|KRW|SGD|HKD|TWD|AED|SAR|QAR|KWD|Kč|zł|kr|lei|\u0440\u0443\u0431|грн|лв|TL|Fr)\b\.?"
    r"|\b(?:[KTU][Ss]h|Rp|Rs)(?![^\W\d_])\.?|\bS/|元|円|원|zł|Kč|ر\.س|د\.إ|ج\.م|د\.ك|ر\.ق|د\.م"
    # Ladders have six feet, and nothing costs six forints.
    r"|(?:(?<=\d\d\d)|(?<=\d\d\d\s))Ft\b"
)
_AMOUNT = r"\d{1,3}(?:[\s.,'\u00a0\u202f]\d{3})*(?:[.,]\d{1,2}|[.,][-–]{1,2})?|\d+(?:[.,]\d{1,2})?"
_CURRENCY_ALONE = re.compile(CURRENCY)
PRICE = re.compile(
    # The lookaheads tell most places at once from those where a price may begin or continue.
    rf"(?=[^\s\d,.])(?:{CURRENCY})\s?(?:{_AMOUNT})|(?=\d)(?:{_AMOUNT})\s?(?=[^\s\d])(?:{CURRENCY})"
    # France writes 12€90.
    r"(?:(?<=\d€)\d\d(?![\d.,]))?"
)
_EMPLOYMENT = """
    full time, part time, fulltime, parttime, full-time, part-time, permanent, temporary, fixed term, fixed-term,
    contract, contractor, consultant, consultancy, internship, intern, volunteer, freelance, casual, seasonal,
    apprenticeship, traineeship, fellowship, vollzeit, teilzeit, befristet, unbefristet, praktikum, ausbildung, minijob,
    cdi, cdd, stage, interim, alternance, temps plein, temps partiel, jornada completa, tiempo completo, medio tiempo,
    indefinido, temporal, practicas, tempo integral, meio periodo, estagio, efetivo, tempo pieno, part time, tirocinio,
    tempo indeterminato, tempo determinato, voltijd, deeltijd, fulltime, tijdelijk, vast, pelny etat, umowa o prace,
    staz, heltid, deltid, tillsvidare, vikariat, fast, kokoaikainen, osa-aikainen, vakituinen, maaraaikainen,
    plny uvazek, zkraceny uvazek, полная занятость, частичная занятость, стажировка, проектная работа, повна зайнятість,
    tam zamanli, yari zamanli, staj, دوام كامل, دوام جزئي, 全职, 兼职, 实习, 正社員, 契約社員, 派遣社員, アルバイト,
    정규직, 계약직, 인턴
"""
EMPLOYMENT = frozenset(phrase.strip() for phrase in _EMPLOYMENT.replace("\n", ",").split(",") if phrase.strip())
_MODALITY = """
    remote, hybrid, on-site, onsite, on site, home based, home-based, fully remote, in office, work from home,
    homeoffice, home office, vor ort, teletravail, presencial, remoto, hibrido, da remoto, ibrido, op afstand, hybride,
    zdalnie, zdalna, hybrydowo, distans, etatyo, удаленно, гибрид, uzaktan, hibrit, عن بعد, 远程, 混合, リモート,
    재택근무, 원격
"""
MODALITY = frozenset(phrase.strip() for phrase in _MODALITY.replace("\n", ",").split(",") if phrase.strip())

RECENT = frozenset(
    "yesterday|today|just now|gestern|heute|hier|aujourd'hui|ayer|hoy|ontem|hoje|ieri|oggi|gisteren|vandaag|wczoraj|"
    "dzisiaj|i går|idag|"
    "вчера|сегодня|вчора|сьогодні|dün|bugün|昨天|今天|昨日|今日|어제|오늘|أمس|اليوم".split("|")
)

LONGEST_DATE = 60
#: words that may be beside a date that is a value of its own
_BESIDE_DATE = 12
_BESIDE_PRICE = 15
_LONGEST_PRICE = 40
_LONGEST_GRADE = 12
_LONGEST_SPLIT = 16
_DAY_ALONE = re.compile(_DAY + r"[.,]?", re.IGNORECASE)
_MONTH_ALONE = re.compile(_MONTH, re.IGNORECASE)
_YEAR_ALONE = re.compile(_YEAR)
_DIGIT = re.compile(r"\d")


def date_in(text: str) -> str | None:
    """The date in a short text, as written."""
    return _date_in(text) if len(text) <= 2 * LONGEST_DATE else None


@lru_cache(maxsize=8192)
def _date_in(text: str) -> str | None:
    """The same, cached, for a text is checked several times."""
    found = DATE.search(text) if _DIGIT.search(text) else None
    return found[0].strip(" ,.") if found else None


class ValueType(StrEnum):
    """The type of a text by its form."""

    DATE = "date"
    AGO = "ago"  # time since
    LEFT = "left"  # time left
    PRICE = "price"
    GRADE = "grade"
    EMPLOYMENT = "employment"
    MODALITY = "modality"


@lru_cache(maxsize=16_384)
def value_type(text: str) -> ValueType | None:
    """The type of a short text, when it is that and little else."""
    if len(text) > LONGEST_DATE:
        return None
    if _DIGIT.search(text) is None:
        return _wordy_type(text)
    if LEFT.search(text):
        return ValueType.LEFT
    if _SAYS_AGO.search(text.lower()) and AGO.search(text):
        return ValueType.AGO
    if (found := DATE.search(text)) and len(text) - len(found[0]) <= _BESIDE_DATE:
        return ValueType.DATE
    if len(text) <= _LONGEST_PRICE and (found := PRICE.search(text)) and len(text) - len(found[0]) <= _BESIDE_PRICE:
        return ValueType.PRICE
    return ValueType.GRADE if len(text) <= _LONGEST_GRADE and GRADE.fullmatch(text) else None


def _wordy_type(text: str) -> ValueType | None:
    lowered = text.lower()
    if lowered in RECENT or AGO.fullmatch(text):
        return ValueType.AGO
    if lowered in EMPLOYMENT:
        return ValueType.EMPLOYMENT
    if lowered in MODALITY:
        return ValueType.MODALITY
    return ValueType.GRADE if len(text) <= _LONGEST_GRADE and GRADE.fullmatch(text) else None


def is_split_date(before: str, after: str) -> bool:
    """Are two consecutive texts the parts of one date: day and month, or those and the year?"""
    if len(before) > _LONGEST_SPLIT or len(after) > _LONGEST_SPLIT:
        return False
    if not (before[:1].isdigit() or after[:1].isdigit()):
        return False
    if _MONTH_ALONE.fullmatch(after):
        return _DAY_ALONE.fullmatch(before) is not None
    if _DAY_ALONE.fullmatch(after):
        return _MONTH_ALONE.fullmatch(before) is not None
    return _YEAR_ALONE.fullmatch(after) is not None and value_type(before) is ValueType.DATE


def is_currency(text: str) -> bool:
    """Is the text the sign or code of a currency?"""
    return len(text) <= 4 and _CURRENCY_ALONE.fullmatch(text) is not None
