"""Parses the form for a new source into source input."""

from collections.abc import Mapping
from dataclasses import replace

from lamplighter.errors import BadInput
from lamplighter.model.record import RecordKind
from lamplighter.model.schedule import OrganisationType
from lamplighter.operations.sources.source_fields import altered, input_from
from lamplighter.operations.sources.source_input import NewSource, check
from lamplighter.operations.sources.source_words import PRIORITIES
from lamplighter.web.dashboard.forms import SubmittedForm, each_fault, meant_by

#: the fields of the form, in its order
FIELDS = (
    *("url", "name", "kind", "tags", "priority", "interval_minutes", "windows", "max_depth", "max_pages"),
    *("country", "organisation_type", "recipe"),
)
EMPTY: Mapping[str, str] = dict.fromkeys(FIELDS, "") | {"priority": "normal"}
KINDS = [("", "detect from the pages"), *((str(kind), str(kind)) for kind in RecordKind)]
ORGANISATIONS = [("", "not set"), *((str(each), str(each).replace("_", " ")) for each in OrganisationType)]
PRIORITY_WORDS = [(word, word) for word in PRIORITIES]


def typed(form: SubmittedForm) -> dict[str, str]:
    """The typed values of all fields, to show them again."""
    return {name: form.text(name) for name in FIELDS}


def faults(form: SubmittedForm, error: BadInput) -> Mapping[str, str]:
    """The error of each form field."""
    given = {name: value for name, value in typed(form).items() if value or name == "url"}

    def look(name: str) -> None:
        if name == "url":
            check(NewSource(url=meant_by(given[name])))
        elif name == "max_depth":
            check(replace(_FINE, max_depth=form.whole_number(name) or 0))
        else:
            check(altered(_FINE, {name: given[name]}))

    return each_fault(error, given, look)


#: a valid source, to check one field at a time
_FINE = NewSource(url="https://example.org/")


def input_of(form: SubmittedForm) -> NewSource:
    """The source input from the form; BadInput names the invalid field."""
    if not form.text("url"):
        raise BadInput("the address is missing; write for example https://example.org/jobs", field="url")
    row = {name: value for name, value in typed(form).items() if value and name != "max_depth"}
    submitted = input_from(row | {"url": meant_by(form.text("url"))})
    # In files a depth of 0 means the default; typed here it means this page alone.
    depth = form.whole_number("max_depth")
    return submitted if depth is None else replace(submitted, max_depth=depth)
