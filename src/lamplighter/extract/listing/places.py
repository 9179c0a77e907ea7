"""Which unlabelled texts are places? Those at one position of all rows that look so or that a filter offers."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice

from lamplighter.extract.listing.rows import is_action, segments
from lamplighter.extract.listing.titles import ReadRow, Slot
from lamplighter.extract.listing.tree import Box
from lamplighter.extract.words.field_words import LONGEST_LABEL, bare, field_for, is_field_name
from lamplighter.extract.words.value_types import MODALITY, ValueType, value_type

_LONGEST_PLACE = 60
_FEWEST = 3
#: shares of rows: those that have a text in the slot, and of its texts those that are places
_COVERED, _PLACES = 0.6, 0.6
_MOST_FILTERS, _MOST_VALUES, _LARGEST_FILTER = 10, 200, 6_000
_MOST_BOXES = 20_000
_PLACE_FIELDS = frozenset({"location", "country"})
_COUNT = re.compile(r"\s*[(\[]?\d{1,5}[)\]]?$")
_NEVER = frozenset(ValueType) - {ValueType.MODALITY}

_LONGEST = 60
_MOST_PARTS = 4
_PARTS = re.compile(r"\s*[,\u060c\uff0c\u3001;]\s*|\s+[-\u2013/]\s+")
_IN_BRACKETS = re.compile(r"(.{2,40}?)\s*[(\uff08]([^)\uff09]{2,30})[)\uff09]")
#: states and provinces as addresses in North America and Australia write them
_STATES = frozenset(
    "AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA"
    " RI SC SD TN TX UT VT VA WA WV WI WY DC AB BC MB NB NL NS ON PE QC SK NSW QLD VIC TAS ACT USA US UK UAE EU".split()
)
#: the same in full
_STATE_NAMES = frozenset(
    "alabama|alaska|arizona|arkansas|california|colorado|connecticut|delaware|florida|georgia|hawaii|idaho|illinois"
    "|indiana|iowa|kansas|kentucky|louisiana|maine|maryland|massachusetts|michigan|minnesota|mississippi|missouri"
    "|montana|nebraska|nevada|new hampshire|new jersey|new mexico|new york|north carolina|north dakota|ohio|oklahoma"
    "|oregon|pennsylvania|rhode island|south carolina|south dakota|tennessee|texas|utah|vermont|virginia|washington"
    "|west virginia|wisconsin|wyoming|alberta|british columbia|manitoba|new brunswick|nova scotia|ontario|quebec"
    "|saskatchewan|new south wales|queensland|south australia|tasmania|victoria|western australia".split("|")
)
_REGIONS = frozenset(
    "europe emea apac latam mena africa asia americas worldwide anywhere global uk us usa uae eu eea dach nordics"
    " england scotland wales england uk europa weltweit monde mundo".split()
)
#: Korean, Japanese and Chinese places end with what they are
_BY_ENDING = re.compile(
    r"(?:서울|부산|대구|인천|광주|대전|울산|세종|경기|강원|충북|충남|전북|전남|경북|경남|제주)(?:특별시|광역시|도|시)?(?:\s[가-힣]{1,5}[시군구])?"
    r"|[가-힣]{2,4}[시군](?:\s[가-힣]{1,5}[구읍면동])?"
    r"|(?:北海道|東京都?|大阪府?|京都府?|[一-龥]{2,3}県)(?:[一-龥ヶケ]{1,6}[市区町村])?"
    r"|(?:北京|上海|天津|重庆|广州|深圳|杭州|成都|武汉|西安|南京|苏州)市?(?:[·\s-]?[一-龥]{1,5}[区县])?|[一-龥]{2,4}省[一-龥]{2,4}市"
)


def places_of(reads: Sequence[ReadRow], boxes: Sequence[Box], language: str | None) -> Mapping[int, str]:
    """Row number -> its place."""
    if len(reads) < _FEWEST:
        return {}
    slots: dict[Slot, dict[int, str]] = defaultdict(dict)
    for number, read in enumerate(reads):
        for slot, at in read.slots.items():
            text = read.texts[at].text
            if at not in read.known and at not in read.used and _may_be_place(text):
                slots[slot][number] = text
    wide = [found for found in slots.values() if len(found) >= _COVERED * len(reads)]
    if not wide:
        return {}
    # The places that the page offers as filters.
    offered = frozenset(value for box in islice(_filters(boxes), _MOST_FILTERS) for value in _values(box))
    shares = [_share([*found.values()], offered, language) for found in wide]
    best = max(range(len(wide)), key=shares.__getitem__)
    return wide[best] if shares[best] >= _PLACES else {}


def _may_be_place(text: str) -> bool:
    return 1 < len(text) <= _LONGEST_PLACE and not is_action(text) and value_type(text) not in _NEVER


def _share(texts: Sequence[str], offered: frozenset[str], language: str | None) -> float:
    """The share of the texts that are places; "Remote" counts neither way."""
    named = [text for text in texts if text.lower() not in MODALITY]
    if not named:
        return 0.0
    return sum(1 for text in named if bare(text) in offered or looks_like_place(text, language)) / len(named)


def _filters(boxes: Sequence[Box]) -> Iterator[Box]:
    """The elements that contain a heading about places, and a selection below it."""
    for box in islice(boxes, _MOST_BOXES):
        if (label := box.attribute("label")) and _names_place(label):
            yield box
        parts = box.parts
        if len(parts) != 1 or not isinstance(parts[0], str) or box.size > LONGEST_LABEL or box.parent is None:
            continue
        if _names_place(parts[0]):
            holder = box.parent if len(box.parent.kids) > 1 else box.parent.parent
            if holder is not None and holder.size <= _LARGEST_FILTER:
                yield holder


@lru_cache(maxsize=4096)
def _names_place(label: str) -> bool:
    return is_field_name(label) and field_for(label) in _PLACE_FIELDS


def _values(box: Box) -> Iterator[str]:
    for part in islice(segments([box]), _MOST_VALUES):
        if value := bare(_COUNT.sub("", part.text)):
            yield value


def looks_like_place(text: str, language: str | None) -> bool:
    """Is the text a place by its form or by the name of its country?"""
    if not 1 < len(text) <= _LONGEST:
        return False
    if _BY_ENDING.fullmatch(text):
        return True
    if any(character.isdigit() for character in text):
        return False
    if inside := _IN_BRACKETS.fullmatch(text):
        return _is_land(inside[2], language) or looks_like_place(inside[1], language)
    parts = _PARTS.split(text)
    if len(parts) > _MOST_PARTS or not all(part and not part[0].islower() for part in parts):
        return False
    return _is_land(parts[-1], language) or (
        len(parts) > 1 and (parts[-1] in _STATES or bare(parts[-1]) in _STATE_NAMES)
    )


def _is_land(text: str, language: str | None) -> bool:
    words = bare(text)
    return words in _REGIONS or words in _countries("en") or (bool(language) and words in _countries(language or ""))


@lru_cache(maxsize=32)
def _countries(language: str) -> frozenset[str]:
    """The names of countries in a language, as `bare` writes them."""
    # Few pages need them, and the tables of a language take time to load.
    from babel import Locale, UnknownLocaleError

    try:
        territories = Locale.parse(language.replace("-", "_")).territories
    except (UnknownLocaleError, ValueError):
        return frozenset()
    return frozenset(bare(name) for code, name in territories.items() if len(code) == 2 and code.isalpha())
