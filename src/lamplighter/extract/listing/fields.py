"""Which fields does a row have besides its title, and how reliable are they?"""

import re
from collections.abc import Sequence
from dataclasses import replace

from lamplighter.extract.listing.columns import DATE_COLUMN, Columns, cells_under, label_of
from lamplighter.extract.listing.dates import BY_TYPE, Values, dated, is_dated, last_day_in, place_dates
from lamplighter.extract.listing.labels import Labelled, classes_near, field_of_class, labelled
from lamplighter.extract.listing.prices import RowPrice, price_of_today
from lamplighter.extract.listing.rows import RowText, is_action
from lamplighter.extract.listing.spans import Spans
from lamplighter.extract.listing.titles import ReadRow
from lamplighter.extract.listing.tree import Box
from lamplighter.extract.single.page_words import availability_in
from lamplighter.extract.words.date_phrases import DATE_FIELDS, UNTIL
from lamplighter.extract.words.value_types import PRICE, ValueType, value_type
from lamplighter.model.record import RecordKind

BY_HEADER, BY_LABEL = 0.70, 0.65
#: a text this long that is nothing else is a description
_SHORTEST_DESCRIPTION = 40
_LONGEST_VALUE = 300

_FIELD_OF_TYPE = {ValueType.GRADE: "level", ValueType.EMPLOYMENT: "career_type", ValueType.MODALITY: "work_modality"}
_BESIDE_TITLE = re.compile(
    r"[/?&](?:(?P<organisation>compan(?:y|ies)|employers?|organi[sz]ations?|orgs?|agenc(?:y|ies)|unternehmen|firmen"
    r"|firma|entreprises?|empresas?|aziend[ae])|(?P<author>authors?|autor(?:es)?|auteurs?|writers?|by)"
    r"|(?P<location>locations?|city|cities|places?|orte?)|(?P<brand>brands?|marken?|marques?|marcas?|march[ei]|mark[ai]"
    r"|merk(?:en)?|varumarken|manufacturers?|hersteller|fabricantes?|fabricants?|producent(?:en)?|vyrobci|znacky"
    r"|uretici)|(?P<country>countr(?:y|ies)|land|pays|pais(?:es)?|paesi?))[/=]"
)
#: a profile page: /@jane
_HANDLE = re.compile(r"/@[\w.-]{2,40}/?$")
#: "By Jane Roe" and the like in an article's row
_BYLINE = re.compile(
    r"(?:[Bb]y|[Vv]on|[Pp]ar|[Pp]or|[Dd]i|[Dd]oor|[Aa]v|[Aa]f)\s+"
    r"([^\W\d_a-z][\w.'\u2019-]*(?:\s(?:(?:de|van|von|da|der|and|und|et|y|e)\s)?[^\W\d_a-z][\w.'\u2019-]*){0,5})"
)

#: "30+ days ago" is no date
_AT_LEAST = re.compile(r"\d\+")
#: a text that is only a label
_UNKNOWN = ("", "")


def known_texts(
    texts: Sequence[RowText], row: Box, columns: Columns, constants: frozenset[str], spans: Spans | None
) -> Labelled:
    """The texts of a row whose field is known before its title is: by the header of their column, or by a label."""
    known = labelled(texts, constants)
    if spans is None:
        cells = cells_under(row, columns)
    else:
        cells = [(cell, columns.fields[at]) for at, cell in spans.own_cells(row).items() if at in columns.fields]
    cells += [(cell, field) for cell in row.kids if (field := label_of(cell))]
    for cell, field in cells:
        inside = [at for at, part in enumerate(texts) if cell.place <= part.box.place <= cell.last]
        if any(known.get(at, _UNKNOWN)[0] == field for at in inside):
            # The cell repeats the header of its column as a label, and the label has been understood.
            continue
        own = [at for at in inside if known.get(at) != _UNKNOWN]
        named = [at for at in own if not texts[at].spoken and not is_action(texts[at].text)]
        for at in inside:
            known[at] = _UNKNOWN
        if named:
            known[named[0]] = (field, _joined(texts, named, field))
    return known


def _joined(texts: Sequence[RowText], places: Sequence[int], field: str) -> str:
    if field in ("title", *DATE_FIELDS) or len(places) == 1:
        return texts[places[0]].text
    return ", ".join(dict.fromkeys(texts[at].text for at in places))


def values_of(read: ReadRow, kind: RecordKind, columns: Columns) -> Values:
    """Field -> value and confidence, the most reliable evidence first."""
    found: Values = {}
    by_header = BY_HEADER if columns.fields else BY_LABEL
    dates: list[RowText] = []
    prices: list[RowPrice] = []
    for at, (field, value) in read.known.items():
        if field == UNTIL:
            field = "deadline" if kind is RecordKind.JOB else ""
        if field == DATE_COLUMN:
            dates.append(replace(read.texts[at], text=value))
        elif field in DATE_FIELDS and _AT_LEAST.search(value):
            continue
        elif field == "price":
            prices.append(RowPrice(at, value, by_header))
        elif field and field != "title" and value and (field in DATE_FIELDS or not is_action(value)):
            # A date may be nothing but figures, as page numbers are: 02112026.
            found.setdefault(field, (dated(read.texts[at], value, field), by_header))
    # Boards that have a single date and call it just that mean the date of posting.
    by_head = [] if DATE_FIELDS.intersection(found) else list(dates)
    rest = [
        (at, part)
        for at, part in enumerate(read.texts)
        if at not in read.known and at not in read.used and not part.spoken
    ]
    for at, part in rest:
        if kind is RecordKind.ARTICLE and "author" not in found and (byline := _BYLINE.fullmatch(part.text)):
            found["author"] = (byline[1].strip(), BY_TYPE)
        elif _is_price(part):
            prices.append(RowPrice(at, part.text, BY_TYPE))
        else:
            _by_type(part, found, dates, kind)
    if not prices and kind is not RecordKind.JOB:
        # Shops that show a price in pieces have the whole price in a text for screen readers.
        prices = [
            RowPrice(at, part.text, BY_TYPE) for at, part in enumerate(read.texts) if part.spoken and _is_price(part)
        ]
    if prices:
        price = price_of_today(prices, read.texts)
        found["price"] = (price.value, price.confidence)
    if kind is RecordKind.PRODUCT and "availability" not in found:
        stock = (said for _, part in rest if (said := availability_in(part.text)))
        if (in_stock := next(stock, None)) is not None:
            found["availability"] = (in_stock, BY_TYPE)
    unknown = [part for _, part in rest]
    certain = [part for part in dates if not _AT_LEAST.search(part.text)]
    place_dates(certain, found, kind, by_head=by_head, leading=read.texts[: min(read.used, default=0)])
    if kind is RecordKind.JOB and "deadline" not in found and (last_day := last_day_in(unknown)):
        found["deadline"] = (last_day, BY_TYPE)
    _describe(unknown, read, found)
    return found


def _is_price(part: RowText) -> bool:
    is_amount = value_type(part.text) is ValueType.PRICE and not is_dated(part)
    return is_amount and field_of_class(classes_near(part)) != "salary"


def _by_type(part: RowText, found: Values, dates: list[RowText], kind: RecordKind) -> None:
    """Recognises a text by its value type, by its class name or by its link."""
    text = part.text
    if len(text) > _LONGEST_VALUE:
        return
    if is_dated(part):
        dates.append(part)
        return
    looks = value_type(text)
    field = field_of_class(classes_near(part)) or _field_of_link(part)
    if field == "location" and looks is ValueType.MODALITY:
        # A pin icon before "Remote": that is all there is to say about the place.
        found.setdefault("location", (text, BY_TYPE))
    if looks is ValueType.PRICE:
        found.setdefault("salary", (text, BY_TYPE))
    elif looks is not None:
        found.setdefault(_FIELD_OF_TYPE[looks], (text, BY_TYPE))
    elif field == "brand" and kind is not RecordKind.PRODUCT:
        # Elsewhere the word is a colour of the layout.
        return
    elif field is not None and field not in DATE_FIELDS and not is_action(text):
        found.setdefault(field, (text, BY_TYPE))


def _field_of_link(part: RowText) -> str | None:
    """What the address of a link beside the title says: the page of an organisation, of an author."""
    if part.link is None:
        return None
    address = part.link.attribute("href")[:200]
    found = _BESIDE_TITLE.search(address)
    return found.lastgroup if found else "author" if _HANDLE.search(address) else None


def _describe(rest: Sequence[RowText], read: ReadRow, found: Values) -> None:
    if "description" in found:
        return
    taken = {value for value, _ in found.values()}
    texts = [part.text for part in rest if len(part.text) > _SHORTEST_DESCRIPTION and part.text not in taken]
    longest = max(texts, key=len, default="")
    if longest and longest != read.title and not PRICE.fullmatch(longest):
        found["description"] = (longest, BY_TYPE)
