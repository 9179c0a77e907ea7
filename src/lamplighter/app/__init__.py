"""The composition root: settings in, a running service out. The only package that knows every adapter.

A name is loaded when it is first used, so that a command that only opens the database does not load the crawler.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lamplighter.app.database import Store as Store
    from lamplighter.app.database import database_time as database_time
    from lamplighter.app.database import open_store as open_store
    from lamplighter.app.defaults import default_policy as default_policy
    from lamplighter.app.defaults import source_defaults as source_defaults
    from lamplighter.app.engines import archive_of as archive_of
    from lamplighter.app.engines import vault_of as vault_of
    from lamplighter.app.event_traffic import open_carrier as open_carrier
    from lamplighter.app.opening import Messaging as Messaging
    from lamplighter.app.opening import Trials as Trials
    from lamplighter.app.opening import open_door as open_door
    from lamplighter.app.opening import open_messaging as open_messaging
    from lamplighter.app.opening import open_trials as open_trials
    from lamplighter.app.record_index import RecordIndex as RecordIndex
    from lamplighter.app.service import Service as Service
    from lamplighter.app.service import open_service as open_service
    from lamplighter.app.storing import archive_bounds as archive_bounds
    from lamplighter.app.storing import room_of as room_of

#: the module of each name
_MODULES = {
    **dict.fromkeys(("Store", "database_time", "open_store"), "database"),
    **dict.fromkeys(("default_policy", "source_defaults"), "defaults"),
    **dict.fromkeys(("archive_of", "vault_of"), "engines"),
    "open_carrier": "event_traffic",
    **dict.fromkeys(("Messaging", "Trials", "open_door", "open_messaging", "open_trials"), "opening"),
    "RecordIndex": "record_index",
    **dict.fromkeys(("Service", "open_service"), "service"),
    **dict.fromkeys(("archive_bounds", "room_of"), "storing"),
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    return value
