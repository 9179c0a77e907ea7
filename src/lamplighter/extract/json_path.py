"""What stands at a dotted path (`data.items.0.name`) of a JSON value?"""

from typing import Any


def at(data: Any, path: str) -> Any:
    """The value there, or None; "" is the value itself."""
    for step in path.split(".") if path else ():
        if isinstance(data, dict):
            data = data.get(step)
        elif isinstance(data, list) and step.isdecimal() and len(step) < 8 and int(step) < len(data):
            data = data[int(step)]
        else:
            return None
    return data


def texts_at(data: Any, path: str) -> list[str]:
    """The texts and numbers there: one, or each of a list."""
    value = at(data, path)
    found = (text_of(item) for item in (value if isinstance(value, list) else [value]))
    return [text for text in found if text]


def text_of(value: Any) -> str | None:
    """A JSON value as text; None for what is neither text nor number."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
