"""The safety options of every XML parser we create: one place for all."""

from typing import Any

#: options for lxml's parsers: nothing is fetched, nothing is expanded, nothing grows beyond libxml2's own limits
GUARDS: dict[str, Any] = {
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "huge_tree": False,
    "remove_comments": True,
    "remove_pis": True,
}
