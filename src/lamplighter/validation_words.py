"""Words for what is wrong with a value that validation refused."""

from collections.abc import Mapping
from typing import Any

#: what pydantic calls the fault -> what the value must be; the braces are filled from the fault's context
_WORDS = {
    "missing": "is missing",
    "extra_forbidden": "is not known here; leave it out, or check its spelling",
    "bool_parsing": "must be true or false",
    "bool_type": "must be true or false",
    "int_parsing": "must be a whole number",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "int_parsing_size": "is too large a number",
    "float_parsing": "must be a number",
    "float_type": "must be a number",
    "finite_number": "must be a finite number",
    "decimal_parsing": "must be a number",
    "string_type": "must be text",
    "string_sub_type": "must be text",
    "string_unicode": "must be valid Unicode text",
    "bytes_type": "must be text",
    "dict_type": "must be an object",
    "mapping_type": "must be an object",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "dataclass_type": "must be an object",
    "list_type": "must be a list",
    "tuple_type": "must be a list",
    "set_type": "must be a list",
    "none_required": "must be null",
    "literal_error": "must be {expected}",
    "enum": "must be {expected}",
    "greater_than": "must be greater than {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be at most {le}",
    "string_too_short": "must have at least {min_length} characters",
    "string_too_long": "must have at most {max_length} characters",
    "too_short": "must have at least {min_length} entries",
    "too_long": "must have at most {max_length} entries",
    "string_pattern_mismatch": "must match the pattern {pattern}",
    "uuid_parsing": "must be an id of the form 550e8400-e29b-41d4-a716-446655440000",
    "uuid_type": "must be an id of the form 550e8400-e29b-41d4-a716-446655440000",
}
_MOMENT = "must be a time, as 2026-01-29T10:30:00Z"
_DATE = "must be a date, as 2026-01-29"


def words_of(fault: Mapping[str, Any]) -> str:
    """What is wrong with a value, from one of pydantic's `errors()`; completes a sentence that begins with its name."""
    kind = str(fault["type"])
    if kind.startswith("datetime"):
        return _MOMENT
    if kind.startswith("date_"):
        return _DATE
    words = _WORDS.get(kind)
    if words is None:
        return str(fault["msg"]).removeprefix("Value error, ")
    return words.format_map({name: _shown(value) for name, value in fault.get("ctx", {}).items()})


def _shown(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value
