"""The template language of notifications: text with names in double braces, and nothing else.

It has no expressions, so a template can neither run for ever nor reach values that it was not given. Errors in a
template are found when it is saved.
"""

import re
from collections.abc import Mapping

from lamplighter.errors import BadInput

#: most characters of a template, and of the text made from it
LONGEST_TEMPLATE = 4000
LONGEST_TEXT = 10_000
#: control characters, which some databases refuse; line ends and tabs are allowed
_NO_TEXT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_PART = re.compile(r"\{\{\s*([^{}]*?)\s*\}\}|\{\{|\}\}")

#: every name, and what replaces it; a name without a value in a notification is replaced by nothing
PLACEHOLDERS: Mapping[str, str] = {
    "title": "the default title",
    "text": "the default text",
    "kind": "what happened, as in run.failed",
    "at": "when, in UTC",
    "source": "the source's name",
    "source_id": "the source's id",
    "source_url": "the source's URL",
    "link": "the source's page here, when LAMPLIGHTER_PUBLIC_URL is set",
    "run": "the number of the run",
    "failures": "how many runs failed in a row",
    "reason": "what failed, or what a successful run found",
    "until": "when the next try is, in UTC",
    "count": "how many records or pages it is about",
    "records": "the first of them, with what changed",
    "below": "the price that it fell below",
    "rule": "the rule of an alert",
    "subject": "the subject of an alert",
    "severity": "the severity of an alert",
    "detail": "the finding of an alert",
    "remedy": "what to do about an alert",
    "task_id": "the id of a submitted page",
    "url": "its URL",
    "status": "the outcome of the submitted page",
    "product_id": "the product found on it",
}


def check(template: str) -> None:
    """Refuses a template that cannot be used, naming the line and column."""
    if len(template) > LONGEST_TEMPLATE:
        raise _bad(f"it has {len(template)} characters; {LONGEST_TEMPLATE} are the most")
    if (found := _NO_TEXT.search(template)) is not None:
        place = _place(template, found.start())
        raise _bad(f"{place}: the character U+{ord(found[0]):04X} is a control character; leave it out")
    for part in _PART.finditer(template):
        name = part[1]
        if name is None:
            partner = "{{" if part[0] == "}}" else "}}"
            raise _bad(f"{_place(template, part.start())}: {part[0]} has no matching {partner}; write {{{{ source }}}}")
        if name not in PLACEHOLDERS:
            known = ", ".join(PLACEHOLDERS)
            raise _bad(f"{_place(template, part.start())}: there is no {{{{ {name[:60]} }}}}; there are {known}")


def render(template: str, values: Mapping[str, str]) -> str:
    """The template with its names replaced by values; BadInput when it cannot be used."""
    check(template)
    return _PART.sub(lambda part: values.get(part[1], "")[:LONGEST_TEXT], template)[:LONGEST_TEXT]


def _place(template: str, index: int) -> str:
    before = template[:index]
    return f"line {before.count(chr(10)) + 1}, column {index - before.rfind(chr(10))}"


def _bad(detail: str) -> BadInput:
    return BadInput(f"This template cannot be used: {detail}.", code="invalid_template")
