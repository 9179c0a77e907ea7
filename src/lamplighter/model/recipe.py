"""Recipes: how to extract the records of a source whose pages do not describe them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from lamplighter.model.fields import compact


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueStep:
    """One step that transforms a value, of a closed list."""

    name: str
    #: texts that the step needs, such as what to replace and its replacement
    arguments: tuple[str, ...] = ()
    #: of the step "map" only: value -> replacement
    table: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldRule:
    """The place of one field inside its item."""

    #: CSS selector inside the item; "" means the item itself. In a JSON recipe: a dotted path.
    selector: str
    #: attribute to read instead of the text; None reads the text
    attribute: str | None = None
    #: regular expression whose first group (or whole match) is the value; None keeps all
    pattern: str | None = None
    #: True collects every match into a list
    many: bool = False
    #: transformations of the value, in this order
    transform: tuple[ValueStep, ...] = ()
    #: not empty: the value is an object with these fields, found inside what the selector finds
    fields: "Mapping[str, FieldRule]" = field(default_factory=dict)
    #: tried in this order when this rule finds nothing; they have no alternatives of their own
    otherwise: "tuple[FieldRule, ...]" = ()


class PagingKind(StrEnum):
    """How a JSON API is paged."""

    PAGE = "page"  # by the page's number
    OFFSET = "offset"  # by the number of records to skip
    CURSOR = "cursor"  # by a cursor from the previous response
    LINK = "link"  # by a URL from the previous response


@dataclass(frozen=True, slots=True, kw_only=True)
class Paging:
    """How to get from one response of a JSON API to the next."""

    kind: PagingKind
    #: query parameter with page number, offset or cursor; "" for links, which need none
    param: str
    #: page number or offset of the first request
    start: int
    #: records in one response; None uses the API's default
    size: int | None = None
    #: query parameter with the size; None sends none
    size_param: str | None = None
    #: dotted path of the cursor or the link in the response; None looks for links where APIs usually put them
    cursor_path: str | None = None
    #: dotted path of the total number of records; None continues to the first empty response
    total_path: str | None = None
    #: most requests in one run, where pages or records are counted; elsewhere the run's own budget limits them
    max_pages: int = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Since:
    """How to request only what changed since the last run from a JSON API."""

    param: str
    #: as for strftime, in UTC; "epoch" for seconds since 1970
    format: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Api:
    """How to request a JSON API; the method is always GET."""

    #: None sends one request
    paging: Paging | None = None
    #: None requests everything each time
    since: Since | None = None
    #: more request headers; {secret:NAME} is replaced by a secret, which is never stored here
    headers: Mapping[str, str] = field(default_factory=dict)
    #: query parameters of every request
    params: Mapping[str, str] = field(default_factory=dict)


class Expected(StrEnum):
    """The expected format of a source's own URL."""

    FEED = "feed"  # RSS, Atom, RDF or a JSON Feed
    JSON = "json"


@compact
@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """A source's own extraction rules; every part is optional."""

    #: CSS selector (or dotted JSON path) of the repeated item; None means the page is one item
    items: str | None = None
    #: field name of the record -> its place
    fields: Mapping[str, FieldRule] = field(default_factory=dict)
    #: the same for the pages that a list links to; not empty: they are read with these fields, the list is not
    details: Mapping[str, FieldRule] = field(default_factory=dict)
    #: CSS selector of the link to the next page (or JSON path of the next URL); None uses rel=next and its like
    next: str | None = None
    #: regular expressions; a discovered URL must match one of them. Empty allows all
    include: tuple[str, ...] = ()
    #: regular expressions; a discovered URL that matches one is left out
    exclude: tuple[str, ...] = ()
    #: CSS selectors of parts that are neither extracted nor count as a change: advertisements, clocks, counters
    ignore: tuple[str, ...] = ()
    #: how to request a JSON API; None fetches the source's URL as it is
    api: Api | None = None
    #: a run warns when its start page is something else; None accepts anything
    expects: Expected | None = None
    #: whether cookies that the site sets are kept for this source and sent back
    cookies: bool = False

    @property
    def is_final(self) -> bool:
        """Whether it reads a JSON API and asks for no details: then linked pages do not correct the API."""
        return (self.api is not None or self.expects is Expected.JSON) and not self.details

    def of_details(self) -> "Recipe":
        """The recipe of a page about one thing."""
        return replace(self, items=None, fields=self.details) if self.details else self


EMPTY = Recipe()


def asks_since(form: Mapping[str, Any]) -> bool:
    """Whether a recipe in its JSON form requests only what changed since the last run."""
    return bool((form.get("api") or {}).get("since"))
