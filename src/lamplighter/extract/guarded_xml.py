"""What an XML parser must not do with documents of strangers: the one place that says so, for every parser we make."""

from typing import TypedDict


class _Guards(TypedDict):
    resolve_entities: bool
    no_network: bool
    load_dtd: bool
    huge_tree: bool
    remove_comments: bool
    remove_pis: bool


#: options for lxml's parsers: nothing is fetched, nothing is expanded, nothing grows beyond libxml2's own bounds
GUARDS: _Guards = {
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "huge_tree": False,
    "remove_comments": True,
    "remove_pis": True,
}
