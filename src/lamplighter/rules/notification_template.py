"""A very small language for the words of notifications: text with names in double braces, and nothing else.

There is nothing in it to compute with, so a template can neither run for ever nor reach what it was not given. What is
wrong with one is found when it is saved.
"""

import re
from collections.abc import Mapping

from lamplighter.errors import BadInput

#: characters of a template, and of what comes of one
LONGEST_TEMPLATE = 4000
LONGEST_TEXT = 10_000
#: what no text needs and some database refuses; line ends and tabs are none of it
_NO_TEXT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_PART = re.compile(r"\{\{\s*([^{}]*?)\s*\}\}|\{\{|\}\}")

#: every name, and what stands in its place; one that a notification has nothing for leaves nothing
PLACEHOLDERS: Mapping[str, str] = {
    "title": "the usual title",
    "text": "the usual text",
    "kind": "what happened, as in run.failed",
    "at": "when, in UTC",
    "source": "the source's name",
    "source_id": "the source's id",
    "source_url": "the source's URL",
    "link": "the source's page here, when LAMPLIGHTER_PUBLIC_URL is set",
    "run": "the number of the run",
    "failures": "how many runs failed in a row",
    "reason": "what went wrong, or what a run that went well found",
    "until": "when it is tried again, in UTC",
    "count": "how many records are new",
    "records": "the first of them, one to a line",
    "rule": "the rule of an alert",
    "subject": "what an alert is about",
    "severity": "how bad an alert is",
    "detail": "what an alert says",
    "remedy": "what would help against it",
    "task_id": "the id of a submitted page",
    "url": "its URL",
    "status": "what became of it",
    "product_id": "the product found on it",
}


def check(template: str) -> None:
    """Refuses a template that could not be used, with the place."""
    if len(template) > LONGEST_TEMPLATE:
        raise _bad(f"it has {len(template)} characters; {LONGEST_TEMPLATE} are the most")
    if (found := _NO_TEXT.search(template)) is not None:
        place = _place(template, found.start())
        raise _bad(f"{place}: the character U+{ord(found[0]):04X} is no text; leave it out")
    for part in _PART.finditer(template):
        name = part[1]
        if name is None:
            partner = "{{" if part[0] == "}}" else "}}"
            raise _bad(
                f"{_place(template, part.start())}: {part[0]} stands without its {partner}; write {{{{ source }}}}"
            )
        if name not in PLACEHOLDERS:
            known = ", ".join(PLACEHOLDERS)
            raise _bad(f"{_place(template, part.start())}: there is no {{{{ {name[:60]} }}}}; there are {known}")


def render(template: str, values: Mapping[str, str]) -> str:
    """The template with values in place of its names; BadInput when it cannot be used."""
    check(template)
    return _PART.sub(lambda part: values.get(part[1], "")[:LONGEST_TEXT], template)[:LONGEST_TEXT]


def _place(template: str, index: int) -> str:
    before = template[:index]
    return f"line {before.count(chr(10)) + 1}, column {index - before.rfind(chr(10))}"


def _bad(detail: str) -> BadInput:
    return BadInput(f"This template cannot be used: {detail}.", code="invalid_template")
