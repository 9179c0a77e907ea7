"""What the form of a new source says, in the words in which files and programs say it."""

from collections.abc import Mapping
from dataclasses import replace

from lamplighter.model.record import RecordKind
from lamplighter.model.schedule import OrganisationType
from lamplighter.operations.source_rows import wish_from
from lamplighter.operations.source_wish import NewSource
from lamplighter.operations.source_words import PRIORITIES
from lamplighter.web.dashboard.addresses import meant_by
from lamplighter.web.dashboard.forms import Form

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


def wish_of(form: Form) -> NewSource:
    """The source that somebody wants; BadInput names the field that cannot be read."""
    row = {name: value for name, value in typed(form).items() if value and name != "max_depth"}
    wish = wish_from(row | {"url": meant_by(form.text("url"))})
    # In files a depth of 0 means "as usual"; who types it here means this page alone.
    depth = form.whole_number("max_depth")
    return wish if depth is None else replace(wish, max_depth=depth)
