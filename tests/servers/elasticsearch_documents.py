"""What Elasticsearch makes of a document under a mapping, and what it refuses."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from tests.servers.elasticsearch_query import analysed

#: of one term
_MOST_BYTES = 32_766


class Refused(Exception):
    """A document that does not fit the mapping: the type of the error, and the reason."""


def terms_of(document: Mapping[str, Any], mapping: dict[str, Any]) -> dict[str, list[Any]]:
    """The terms under which a document is found; with a dynamic mapping, new fields are added to it."""
    return dict(_of_object(document, mapping, ""))


def fields_of(mapping: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every mapped field with its path."""
    for name, said in mapping.get("properties", {}).items():
        if "properties" in said:
            yield from fields_of(said, f"{path}{name}.")
        else:
            yield f"{path}{name}", said


def _of_object(value: Mapping[str, Any], mapping: dict[str, Any], path: str) -> Iterator[tuple[str, list[Any]]]:
    properties = mapping.setdefault("properties", {})
    for name, inner in value.items():
        if name not in properties:
            if mapping.get("dynamic", True) is False:
                continue
            if mapping.get("dynamic") == "strict":
                raise Refused("strict_dynamic_mapping_exception", f"introduction of [{path}{name}] is not allowed")
            if inner is None or inner == []:
                continue
            properties[name] = _guessed(inner)
        said = properties[name]
        if "properties" in said or (said.get("type") == "object" and said.get("enabled", True)):
            if inner is not None and not isinstance(inner, dict):
                raise Refused(
                    "document_parsing_exception", f"object mapping for [{path}{name}] tried to parse as object"
                )
            yield from _of_object(inner or {}, said, f"{path}{name}.")
        elif said.get("enabled", True):
            yield f"{path}{name}", _of_field(inner, said, f"{path}{name}")


def _guessed(value: Any) -> dict[str, Any]:
    first = value[0] if isinstance(value, list) else value
    if isinstance(first, dict):
        return {"properties": {}}
    if isinstance(first, bool):
        return {"type": "boolean"}
    return {"type": "long"} if isinstance(first, int) else {"type": "text" if isinstance(first, str) else "double"}


def _of_field(value: Any, said: Mapping[str, Any], path: str) -> list[Any]:
    values = value if isinstance(value, list) else [value]
    return [term for each in values if each is not None for term in _terms(each, said, path)]


def _terms(value: Any, said: Mapping[str, Any], path: str) -> list[Any]:
    kind = said["type"]
    if isinstance(value, dict):
        raise Refused("document_parsing_exception", f"failed to parse field [{path}] of type [{kind}]")
    try:
        if kind == "keyword":
            return _keyword(str(value), said, path)
        if kind == "text":
            return analysed(str(value), said.get("analyzer", "standard"))
        if kind == "date":
            datetime.fromisoformat(value)
            return [value]
        if kind == "boolean" and not isinstance(value, bool):
            raise ValueError
        return [{"long": int, "integer": int, "double": float, "boolean": bool}[kind](value)]
    except (ValueError, TypeError):
        raise Refused("document_parsing_exception", f"failed to parse field [{path}] of type [{kind}]") from None


def _keyword(value: str, said: Mapping[str, Any], path: str) -> list[str]:
    if len(value) > said.get("ignore_above", len(value)):
        return []
    if len(value.encode()) > _MOST_BYTES:
        raise Refused("illegal_argument_exception", f'Document contains at least one immense term in field="{path}"')
    return [value]
