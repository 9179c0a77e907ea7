"""The composition root: settings in, a running service out. The only package that knows every adapter."""

from lamplighter.app.engines import archive_of as archive_of
from lamplighter.app.engines import vault_of as vault_of
from lamplighter.app.event_traffic import open_carrier as open_carrier
from lamplighter.app.opening import Messaging as Messaging
from lamplighter.app.opening import Store as Store
from lamplighter.app.opening import Trials as Trials
from lamplighter.app.opening import database_time as database_time
from lamplighter.app.opening import open_door as open_door
from lamplighter.app.opening import open_messaging as open_messaging
from lamplighter.app.opening import open_store as open_store
from lamplighter.app.opening import open_trials as open_trials
from lamplighter.app.record_index import RecordIndex as RecordIndex
from lamplighter.app.service import Service as Service
from lamplighter.app.service import open_service as open_service
from lamplighter.app.source_defaults import default_policy as default_policy
from lamplighter.app.source_defaults import source_defaults as source_defaults
from lamplighter.app.storing import archive_bounds as archive_bounds
from lamplighter.app.storing import room_of as room_of
