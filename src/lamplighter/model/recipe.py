"""How to read a source when its pages do not say it themselves."""

from collections.abc import Mapping
from dataclasses import dataclass, field


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


EMPTY = Recipe()
