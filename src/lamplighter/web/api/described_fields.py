"""The fields of requests and answers, as the description has them, in words for people, with an example."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

Schema = Mapping[str, Any]
_WORDS = {"string": "text", "integer": "whole number", "number": "number", "boolean": "true or false", "null": "null"}
_FORMATS = {"uuid": "id (UUID)", "date-time": "time (ISO 8601)", "date": "date"}
_PLAIN: Mapping[str, Any] = {"integer": 1, "number": 1.5, "boolean": True, "null": None}
#: what examples of names and formats look like
_SAMPLES = {"url": "https://example.org/jobs", "uuid": "3fa85f64-5717-4562-b3fc-2c963f66afa6"}
_TIME = "2027-05-01T12:00:00+00:00"
_DEEPEST = 4
_MOST_WORDS = 12


class DescribedField(NamedTuple):
    """One field of a body, or one parameter."""

    name: str
    type: str
    is_required: bool
    about: str
    #: as JSON would write it; None without one
    default: Any = None
    #: where a parameter stands: path or query; empty for a field of a body
    place: str = ""


def resolved(schema: Schema, schemas: Mapping[str, Schema]) -> Schema:
    """The schema that a reference names."""
    while "$ref" in schema:
        schema = schemas[schema["$ref"].rsplit("/", 1)[-1]]
    return schema


def type_words(schema: Schema, schemas: Mapping[str, Schema]) -> str:
    """The type of a value in words."""
    schema = resolved(schema, schemas)
    options = schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf")
    if options:
        return " or ".join(dict.fromkeys(type_words(each, schemas) for each in options))
    if "const" in schema:
        return repr(schema["const"])
    if "enum" in schema:
        values = [str(value) for value in schema["enum"]]
        return f"one of {', '.join(values[:_MOST_WORDS])}{' …' if len(values) > _MOST_WORDS else ''}"
    kind = schema.get("type")
    if kind == "array":
        return f"list of {type_words(schema.get('items', {}), schemas)}"
    if kind == "object" or "properties" in schema:
        return "object"
    return _FORMATS.get(schema.get("format", ""), _WORDS.get(str(kind), "any value"))


def fields_of(schema: Schema, schemas: Mapping[str, Schema]) -> Iterator[DescribedField]:
    """The fields of an object; of a list those of its items; none of anything else."""
    schema = resolved(schema, schemas)
    if schema.get("type") == "array":
        yield from fields_of(schema.get("items", {}), schemas)
        return
    required = schema.get("required", ())
    for name, field in schema.get("properties", {}).items():
        about = field.get("description") or resolved(field, schemas).get("description", "")
        yield DescribedField(name, type_words(field, schemas), name in required, about, field.get("default"))


def parameters_of(operation: Mapping[str, Any], schemas: Mapping[str, Schema]) -> list[DescribedField]:
    """The parameters of an operation in its path and query."""
    return [
        DescribedField(
            name=each["name"],
            type=type_words(each.get("schema", {}), schemas),
            is_required=bool(each.get("required")),
            about=each.get("description", ""),
            default=each.get("schema", {}).get("default"),
            place=each["in"],
        )
        for each in operation.get("parameters", ())
    ]


def example_of(schema: Schema, schemas: Mapping[str, Schema], name: str = "", depth: int = 0) -> Any:
    """A value that the schema allows; of an object only what must be there, and what has an example."""
    if examples := schema.get("examples"):
        return examples[0]
    schema = resolved(schema, schemas)
    if examples := schema.get("examples"):
        return examples[0]
    for known in ("example", "const", "default"):
        if schema.get(known) is not None:
            return schema[known]
    if options := schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf"):
        return example_of(options[0], schemas, name, depth)
    if "enum" in schema:
        return schema["enum"][0]
    if schema.get("type") == "array":
        return [example_of(schema.get("items", {}), schemas, name, depth + 1)] if depth < _DEEPEST else []
    if schema.get("type") == "object" or "properties" in schema:
        fields = schema.get("properties", {}) if depth < _DEEPEST else {}
        required = schema.get("required") or list(fields)[:3]
        return {each: example_of(fields[each], schemas, each, depth + 1) for each in fields if each in required}
    if schema.get("format") in ("date-time", "date"):
        return _TIME[: 10 if schema["format"] == "date" else None]
    return _PLAIN.get(
        str(schema.get("type")), _SAMPLES.get(schema.get("format", ""), _SAMPLES.get(name, name or "text"))
    )
