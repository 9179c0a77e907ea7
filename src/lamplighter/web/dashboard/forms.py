"""What a person filled in: read as text, and given back as it was when something in it cannot be used."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping

from fastapi import Request
from starlette.datastructures import FormData, UploadFile

from lamplighter.errors import BadInput, LamplighterError
from lamplighter.web.access.bodies import FIELD_LIMIT
from lamplighter.web.api.values import readable

_MOST_FIELDS = 1000
_MOST_FILES = 1


class Form:
    """A form that was sent."""

    def __init__(self, given: FormData) -> None:
        self._given = given

    def text(self, name: str) -> str:
        """What stands in a field, without the space around it and what is no text; empty when the form has none."""
        return readable(self.as_typed(name)).strip()

    def as_typed(self, name: str) -> str:
        """The same with what is no text, for those who say themselves where it stands, or keep every character."""
        value = self._given.get(name, "")
        return value.strip() if isinstance(value, str) else ""

    def has(self, name: str) -> bool:
        """Whether a box was ticked, or a button of that name was pressed."""
        return name in self._given

    def many(self, name: str) -> list[str]:
        """Everything that was chosen under one name."""
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
        """A file that was chosen; None without one."""
        value = self._given.get(name)
        return value if isinstance(value, UploadFile) and value.filename else None

    def fields(self) -> Iterator[tuple[str, str]]:
        """Everything that is text, to be shown again."""
        return ((name, value) for name, value in self._given.multi_items() if isinstance(value, str))


async def form_of(request: Request) -> Form:
    """The form of a request."""
    return Form(await request.form(max_files=_MOST_FILES, max_fields=_MOST_FIELDS, max_part_size=FIELD_LIMIT))


def faults_of(error: LamplighterError) -> Mapping[str, str]:
    """What is to stand beside which field; under "" what concerns the form as a whole."""
    return {error.field or "" if isinstance(error, BadInput) else "": str(error)}


def each_fault(error: LamplighterError, names: Iterable[str], check: Callable[[str], object]) -> Mapping[str, str]:
    """The same, with every other field that cannot be used: none is to be found only once the others are right."""
    found = dict(faults_of(error))
    for name in names:
        try:
            check(name)
        except BadInput as other:
            found.setdefault(name, str(other))
    return found
