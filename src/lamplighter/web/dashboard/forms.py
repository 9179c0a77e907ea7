"""Reads submitted forms, and shows invalid input again."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping

from fastapi import Request
from starlette.datastructures import FormData, UploadFile

from lamplighter.errors import BadInput, BadUrl, LamplighterError
from lamplighter.rules.formats.typed_text import readable
from lamplighter.rules.urls import urls
from lamplighter.rules.urls.addresses import is_literal
from lamplighter.web.access.bodies import FIELD_LIMIT

_MOST_FIELDS = 1000
_MOST_FILES = 1


class SubmittedForm:
    """A submitted form."""

    def __init__(self, given: FormData) -> None:
        self._given = given

    def text(self, name: str) -> str:
        """The stripped text of a field without control characters; empty if the field is missing."""
        return readable(self.as_typed(name)).strip()

    def as_typed(self, name: str) -> str:
        """The raw text of a field, for callers that validate or keep every character."""
        value = self._given.get(name, "")
        return value.strip() if isinstance(value, str) else ""

    def has(self, name: str) -> bool:
        """Whether the checkbox was ticked or the button pressed."""
        return name in self._given

    def many(self, name: str) -> list[str]:
        """All values of a field."""
        return [value for value in self._given.getlist(name) if isinstance(value, str)]

    def whole_number(self, name: str) -> int | None:
        """A number; None when the field is empty."""
        given = self.text(name)
        if not given:
            return None
        try:
            return int(given)
        except ValueError:
            raise BadInput(f"{given[:50]!r} is not a whole number", field=name) from None

    def number(self, name: str) -> float | None:
        """A number; None when the field is empty."""
        given = self.text(name).replace(",", ".")
        if not given:
            return None
        try:
            number = float(given)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise BadInput(f"{given[:50]!r} is not a number", field=name)
        return number

    def file(self, name: str) -> UploadFile | None:
        """An uploaded file, None without one."""
        value = self._given.get(name)
        return value if isinstance(value, UploadFile) and value.filename else None

    def fields(self) -> Iterator[tuple[str, str]]:
        """All text fields, to show them again."""
        return ((name, value) for name, value in self._given.multi_items() if isinstance(value, str))


async def form_of(request: Request) -> SubmittedForm:
    """Parses the form of a request."""
    return SubmittedForm(await request.form(max_files=_MOST_FILES, max_fields=_MOST_FIELDS, max_part_size=FIELD_LIMIT))


def faults_of(error: LamplighterError) -> Mapping[str, str]:
    """The error message by field; "" is the whole form."""
    return {error.field or "" if isinstance(error, BadInput) else "": str(error)}


def each_fault(error: LamplighterError, names: Iterable[str], check: Callable[[str], object]) -> Mapping[str, str]:
    """The errors of all fields at once, so that the user can fix them together."""
    found = dict(faults_of(error))
    for name in names:
        try:
            check(name)
        except BadInput as other:
            found.setdefault(name, str(other))
    return found


def meant_by(typed: str) -> str:
    """The URL that the user means, with or without its scheme."""
    text = typed.strip()
    return text if "://" in text or not text else f"https://{text}"


def is_finished(typed: str) -> bool:
    """Whether the host of a URL is complete: `https://example.co` may still become example.com."""
    text = meant_by(typed)
    try:
        hostname = urls.parse(text).hostname
    except BadUrl:
        return False
    is_named = "." in hostname.strip(".") or hostname == "localhost" or is_literal(hostname)
    return is_named and any(sign in text.partition("://")[2] for sign in "/?")
