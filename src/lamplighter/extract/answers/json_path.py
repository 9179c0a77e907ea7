"""Looks up a dotted path (`data.items.0.name`, `tags.*.name`) in a JSON value."""

from typing import Any

#: most values that one path may match
_MOST = 10_000
_MOST_KEYS_SHOWN, _LONGEST_SHOWN = 12, 300


def at(data: Any, path: str) -> Any:
    """The value at the path, or None; "" is the value itself, and `*` maps over a list."""
    steps = path.split(".") if path else []
    for place, step in enumerate(steps):
        if isinstance(data, dict):
            data = data.get(step)
        elif not isinstance(data, list):
            return None
        elif step == "*":
            return _in_each(data, ".".join(steps[place + 1 :]))
        elif step.isdecimal() and len(step) < 8 and int(step) < len(data):
            data = data[int(step)]
        else:
            return None
    return data


def texts_at(data: Any, path: str) -> list[str]:
    """The texts and numbers at the path: one, or each of a list."""
    value = at(data, path)
    found = (text_of(item) for item in (value if isinstance(value, list) else [value]))
    return [text for text in found if text]


def text_of(value: Any) -> str | None:
    """A JSON value as text; None for what is neither text nor number."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def where_it_ends(data: Any, path: str) -> str:
    """Why there is nothing at a path, in words that show what is there instead."""
    passed: list[str] = []
    for step in path.split("."):
        inner = at(data, step)
        if inner is None:
            break
        data = inner
        passed.append(step)
    here = f"'{'.'.join(passed)}'" if passed else "the answer"
    return f"{here} {shape_of(data)}"


def shape_of(value: Any) -> str:
    """The type or the keys of a JSON value, as the end of a sentence."""
    if isinstance(value, dict):
        return f"has the keys {', '.join(list(map(str, value))[:_MOST_KEYS_SHOWN])[:_LONGEST_SHOWN] or 'none'}"
    names = {list: "a list", str: "a text", bool: "a truth value", type(None): "null"}
    return f"is {names.get(type(value), 'a number')}"


def _in_each(values: list[Any], path: str) -> list[Any]:
    found: list[Any] = []
    for value in values[:_MOST]:
        inner = at(value, path)
        if inner is not None:
            found += inner if isinstance(inner, list) else [inner]
        if len(found) >= _MOST:
            break
    return found[:_MOST]
