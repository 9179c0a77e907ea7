"""The transformations of a recipe's values: a closed list of steps, each checked before it is stored; no code."""

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from lamplighter.extract.answers.json_path import text_of
from lamplighter.extract.html_page import plain
from lamplighter.model.recipe import ValueStep
from lamplighter.rules.urls.urls import join

_LONGEST_ARGUMENT = 200
_MOST_IN_TABLE = 200
#: characters of a text and items of a list that a step may leave behind
_LONGEST_TEXT, _MOST_ITEMS = 50_000, 1_000
_LONGEST_DATE = 60

_NUMBER = re.compile(r"-?[0-9](?:[0-9.,'\u2019\s\u00a0\u202f]*[0-9])?")
_ONLY_THOUSANDS = re.compile(r"-?[0-9]{1,3}(?:[.,][0-9]{3})+")


def parse_step(form: object) -> ValueStep:
    """The step of "lower", "date:%d/%m/%Y", {"replace": ["a", "b"]} or {"map": {…}}; ValueError if invalid."""
    if isinstance(form, str):
        name, colon, rest = form.partition(":")
        wanted = _wanted(name)
        arguments = tuple(rest.split(":", wanted - 1)) if wanted and colon else (rest,) if colon else ()
        return _checked(ValueStep(name=name, arguments=arguments))
    if not isinstance(form, Mapping) or len(form) != 1:
        raise ValueError('give a text such as "lower" or an object such as {"map": {"FT": "full time"}}')
    ((name, given),) = form.items()
    if name == "map":
        return ValueStep(name="map", table=_table(given))
    given = [given] if isinstance(given, str) else given
    if not isinstance(given, list | tuple) or not all(isinstance(item, str) for item in given):
        raise ValueError('give its texts in a list, such as {"replace": ["a", "b"]}')
    return _checked(ValueStep(name=str(name), arguments=tuple(given)))


def step_to_json(step: ValueStep) -> str | dict[str, Any]:
    """The shortest form that `parse_step` turns back into this step."""
    if step.name == "map":
        return {"map": dict(step.table)}
    if any(":" in argument for argument in step.arguments[:-1]):
        return {step.name: list(step.arguments)}
    return ":".join((step.name, *step.arguments))


def transformed(value: Any, steps: tuple[ValueStep, ...], *, base: str) -> Any:
    """The value after all steps; None when nothing is left of it. `base` is the base of relative addresses."""
    for step in steps:
        value = _after(step, value, base)
    return value


def _wanted(name: str) -> int:
    """How many texts a step needs."""
    if name in _ON_TEXT:
        return _ON_TEXT[name][0]
    if name in ("split", "join", "default"):
        return 1
    if name in ("first", "last"):
        return 0
    known = ", ".join([*_ON_TEXT, "split", "join", "first", "last", "default", "map"])
    raise ValueError(f'there is no step "{name[:40]}"; known are {known}')


def _checked(step: ValueStep) -> ValueStep:
    wanted = _wanted(step.name)
    if len(step.arguments) != wanted:
        example = ":".join((step.name, *"abc"[:wanted]))
        raise ValueError(f'"{step.name}" needs {wanted or "no"} text{"s" * (wanted != 1)} after it: write "{example}"')
    if any(len(argument) > _LONGEST_ARGUMENT for argument in step.arguments):
        raise ValueError(f"a text in it is longer than {_LONGEST_ARGUMENT} characters")
    if step.name in ("split", "replace") and not step.arguments[0]:
        raise ValueError(f'"{step.name}" needs a text to search for: write "{step.name}:,"')
    if step.name == "date":
        _check_format(step.arguments[0])
    return step


def _check_format(pattern: str) -> None:
    try:
        datetime.strptime(datetime(2001, 2, 3, 4, 5, 6).strftime(pattern), pattern)
        is_format = "%" in pattern
    except (ValueError, re.error, UnicodeError):
        is_format = False
    if not is_format:
        raise ValueError(f'"{pattern}" is not a date format; write for example "date:%d/%m/%Y"')


def _table(given: object) -> dict[str, str]:
    if not isinstance(given, Mapping) or not 0 < len(given) <= _MOST_IN_TABLE:
        raise ValueError(f'"map" needs an object of up to {_MOST_IN_TABLE} texts, such as {{"FT": "full time"}}')
    if not all(isinstance(text, str) and len(text) <= _LONGEST_ARGUMENT for pair in given.items() for text in pair):
        raise ValueError(f'"map" holds texts of up to {_LONGEST_ARGUMENT} characters only')
    return dict(given)


def _after(step: ValueStep, value: Any, base: str) -> Any:
    match step.name:
        case "default":
            return step.arguments[0] if value in (None, "", []) else value
        case "first" | "last" if isinstance(value, list):
            return value[0 if step.name == "first" else -1] if value else None
        case "first" | "last":
            return value
        case "join":
            given = value if isinstance(value, list) else [value]
            return step.arguments[0].join(text for item in given if (text := text_of(item)))[:_LONGEST_TEXT] or None
        case "split":
            parts = (part.strip() for text in _texts(value) for part in text.split(step.arguments[0]))
            return [part for part in parts if part][:_MOST_ITEMS]
    changed = [_text_after(step, text, base) for text in _texts(value)]
    if isinstance(value, list):
        return [item for item in changed if item not in (None, "")]
    return changed[0] if changed else None


def _texts(value: Any) -> list[str]:
    given = value[:_MOST_ITEMS] if isinstance(value, list) else [value]
    return [text for item in given if (text := text_of(item)) is not None]


def _text_after(step: ValueStep, text: str, base: str) -> Any:
    if step.name == "map":
        return step.table.get(text, text)
    if step.name == "absolute_url":
        return join(base, text)
    changed = _ON_TEXT[step.name][1](text, *step.arguments)
    return changed[:_LONGEST_TEXT] if isinstance(changed, str) else changed


def _date(text: str, pattern: str) -> str | None:
    """The day or moment in ISO 8601; None when the text has another form."""
    try:
        moment = datetime.strptime(text.strip()[:_LONGEST_DATE], pattern)
    except (ValueError, OverflowError):
        return None
    says_time = re.search(r"%[HIMSpXcT]", pattern)
    return moment.isoformat() if says_time else moment.date().isoformat()


def _number(text: str) -> int | float | None:
    """The first number, whether it is written 1,234.50 or 1.234,50 or 1 234,50."""
    found = _NUMBER.search(text[:_LONGEST_ARGUMENT])
    if found is None:
        return None
    digits = re.sub(r"['\u2019\s\u00a0\u202f]", "", found[0])
    if _ONLY_THOUSANDS.fullmatch(digits) and len({*digits} & {".", ","}) == 1:
        return int(re.sub(r"[.,]", "", digits))
    whole, _, part = digits.rpartition(max(".,", key=digits.rfind)) if re.search("[.,]", digits) else (digits, "", "")
    whole = re.sub(r"[.,]", "", whole)
    return float(f"{whole}.{part}") if part else int(whole)


#: step -> how many texts it needs, and what it does to a text
_ON_TEXT: Mapping[str, tuple[int, Callable[..., Any]]] = {
    "trim": (0, str.strip),
    "lower": (0, str.lower),
    "upper": (0, str.upper),
    "title": (0, str.title),
    "strip_tags": (0, plain),
    "absolute_url": (0, str),
    "number": (0, _number),
    "date": (1, _date),
    "prefix": (1, lambda text, given: given + text),
    "suffix": (1, lambda text, given: text + given),
    "replace": (2, str.replace),
}
