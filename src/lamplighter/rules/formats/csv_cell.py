"""Writes a value into a CSV cell so that no spreadsheet runs it as a formula."""

import json
import re

#: What a spreadsheet takes for the start of a formula. Some skip white space and invisible characters first, and the
#: full-width signs are read like the plain ones; a tab or line end at the start may move the rest into another cell.
_FORMULA = re.compile(r"[\s\u200b\u2060\ufeff\x00]*[=+\-@＝＋－＠|%]|[\t\r\n]")
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?")


def safe(value: object) -> str:
    """The value as text: empty for None, lists of words joined, other structures as JSON, formulas marked as text."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    text = _text(value)
    return f"'{text}" if _is_risky(text) and not _NUMBER.fullmatch(text) else text


def as_written(cell: str) -> str:
    """The text of a cell before it was marked as text."""
    return cell[1:] if cell.startswith("'") and _is_risky(cell) else cell


def _is_risky(text: str) -> bool:
    """Whether the text looks like a formula, or like a formula that was already marked as text."""
    return _FORMULA.match(text.lstrip("'")) is not None


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple) and all(isinstance(item, str) for item in value):
        return "; ".join(value)
    if isinstance(value, dict | list | tuple):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return str(value)
