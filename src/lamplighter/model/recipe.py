"""How to read a source when its pages do not say it themselves."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step in which a value is changed, of a closed list."""

    name: str
    #: texts that the step needs: what to replace and by what, say
    arguments: tuple[str, ...] = ()
    #: of the step "map" only: value -> what to put in its place
    table: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldRule:
    """Where one field of a record stands inside its item."""

    #: CSS selector inside the item; "" means the item itself. In a JSON recipe: a dotted path.
    selector: str
    #: attribute to read instead of the text; None reads the text
    attribute: str | None = None
    #: regular expression whose first group (or whole match) is the value; None keeps all
    pattern: str | None = None
    #: True collects every match into a list
    many: bool = False
    #: what is done to the value, in this order
    transform: tuple[Step, ...] = ()
    #: not empty: the value is an object with these fields, found inside what the selector finds
    fields: "Mapping[str, FieldRule]" = field(default_factory=dict)
    #: tried in this order when this rule finds nothing; they have none of their own
    otherwise: "tuple[FieldRule, ...]" = ()


class PagingKind(StrEnum):
    """How a JSON API is asked for more."""

    PAGE = "page"  # by the page's number
    OFFSET = "offset"  # by the number of records to pass over
    CURSOR = "cursor"  # by a word that the answer before gave
    LINK = "link"  # by an address that the answer before gave


@dataclass(frozen=True, slots=True, kw_only=True)
class Paging:
    """How to get from one answer of a JSON API to the next."""

    kind: PagingKind
    #: query parameter with page number, offset or cursor; "" for links, which need none
    param: str
    #: page number or offset of the first answer
    start: int
    #: records in one answer; None leaves it to the API
    size: int | None = None
    #: query parameter with the size; None does not ask for one
    size_param: str | None = None
    #: dotted path of the cursor or the link in the answer; None looks for links where APIs usually put them
    cursor_path: str | None = None
    #: dotted path of the number of all records; None goes on to the first empty answer
    total_path: str | None = None
    #: answers asked for in one run, where pages or records are counted; elsewhere the run's own budget bounds them
    max_pages: int = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Since:
    """How to ask a JSON API for what changed since the last run."""

    param: str
    #: as for strftime, in UTC; "epoch" for seconds since 1970
    format: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Api:
    """How to ask a JSON API; the method is always GET."""

    #: None asks once
    paging: Paging | None = None
    #: None asks for everything each time
    since: Since | None = None
    #: further request headers; {secret:NAME} stands for a secret, which is never stored here
    headers: Mapping[str, str] = field(default_factory=dict)
    #: query parameters of every request
    params: Mapping[str, str] = field(default_factory=dict)


class Expected(StrEnum):
    """What a source's own URL is said to answer with."""

    FEED = "feed"  # RSS, Atom, RDF or a JSON Feed
    JSON = "json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """A source's own reading instructions; every part is optional."""

    #: CSS selector (or dotted JSON path) of the repeated item; None means the page is one item
    items: str | None = None
    #: field name of the record -> where it stands
    fields: Mapping[str, FieldRule] = field(default_factory=dict)
    #: CSS selector of the link to the next page (or JSON path of the next URL); None uses rel=next and its like
    next: str | None = None
    #: regular expressions; a discovered URL must match one of them. Empty admits all
    include: tuple[str, ...] = ()
    #: regular expressions; a discovered URL that matches one is left out
    exclude: tuple[str, ...] = ()
    #: CSS selectors of what is neither read nor counts as a change: advertisements, clocks, counters
    ignore: tuple[str, ...] = ()
    #: how to ask a JSON API; None asks for the source's URL as it is
    api: Api | None = None
    #: a run whose start page turns out to be something else is worth a look; None takes whatever comes
    expects: Expected | None = None
    #: whether cookies that the site sets are kept for this source and sent back; without it none is
    cookies: bool = False


EMPTY = Recipe()
