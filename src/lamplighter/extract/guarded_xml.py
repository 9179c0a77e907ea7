"""The safety options of every XML parser we create: one place for all."""

from typing import TypedDict


class _Guards(TypedDict):
    resolve_entities: bool
    no_network: bool
    load_dtd: bool
    huge_tree: bool
    remove_comments: bool
    remove_pis: bool


#: options for lxml's parsers: nothing is fetched, nothing is expanded, nothing grows beyond libxml2's own limits
GUARDS: _Guards = {
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "huge_tree": False,
    "remove_comments": True,
    "remove_pis": True,
}
