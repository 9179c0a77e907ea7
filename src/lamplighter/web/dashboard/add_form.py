"""What the form of a new source says, in the words in which files and programs say it."""

from collections.abc import Mapping
from dataclasses import replace

from lamplighter.errors import BadInput
from lamplighter.model.record import RecordKind
from lamplighter.model.schedule import OrganisationType
from lamplighter.operations.source_rows import altered, wish_from
from lamplighter.operations.source_wish import NewSource, check
from lamplighter.operations.source_words import PRIORITIES
from lamplighter.web.dashboard.addresses import meant_by
from lamplighter.web.dashboard.forms import Form, each_fault

#: the fields of the form, in its order
FIELDS = (
    *("url", "name", "kind", "tags", "priority", "interval_minutes", "windows", "max_depth", "max_pages"),
    *("country", "organisation_type", "recipe"),
)
EMPTY: Mapping[str, str] = dict.fromkeys(FIELDS, "") | {"priority": "normal"}
KINDS = [("", "as the pages say"), *((str(kind), str(kind)) for kind in RecordKind)]
ORGANISATIONS = [("", "not said"), *((str(each), str(each).replace("_", " ")) for each in OrganisationType)]
PRIORITY_WORDS = [(word, word) for word in PRIORITIES]


def typed(form: Form) -> dict[str, str]:
    """What stands in each field, to be shown again."""
    return {name: form.text(name) for name in FIELDS}


def faults(form: Form, error: BadInput) -> Mapping[str, str]:
    """What is wrong, beside each field of the form."""
    given = {name: value for name, value in typed(form).items() if value or name == "url"}

    def look(name: str) -> None:
        if name == "url":
            check(NewSource(url=meant_by(given[name])))
        elif name == "max_depth":
            check(replace(_FINE, max_depth=form.whole_number(name) or 0))
        else:
            check(altered(_FINE, {name: given[name]}))

    return each_fault(error, given, look)


#: a source of which nothing is wrong, to look at one field at a time
_FINE = NewSource(url="https://example.org/")


def wish_of(form: Form) -> NewSource:
    """The source that somebody wants; BadInput names the field that cannot be read."""
    if not form.text("url"):
        raise BadInput("an address is missing; write for example https://example.org/jobs", field="url")
    row = {name: value for name, value in typed(form).items() if value and name != "max_depth"}
    wish = wish_from(row | {"url": meant_by(form.text("url"))})
    # In files a depth of 0 means "as usual"; who types it here means this page alone.
    depth = form.whole_number("max_depth")
    return wish if depth is None else replace(wish, max_depth=depth)
