"""Hands changed settings to the parts of a service that keep what follows from them; the others read the settings."""

from typing import TYPE_CHECKING

from lamplighter.app.defaults import default_policy, source_defaults
from lamplighter.app.opening import identity_of
from lamplighter.app.parts import run_capacity
from lamplighter.app.phases import fetch_limits
from lamplighter.app.storing import archive_bounds, kept

if TYPE_CHECKING:
    from lamplighter.app.service import Service


def apply(service: "Service") -> None:
    """Applies the settings of a service to its parts."""
    settings, leading, door = service.settings, service.leading, service.door
    defaults = service.source_defaults = source_defaults(settings)
    for part in (
        service.runs.planner,
        leading.scheduler,
        leading.reconciler,
        leading.pricer,
        service.events.effects,
    ):
        part.source_defaults = defaults
    leading.scheduler.capacity = run_capacity(settings)
    door.identify(identity_of(settings))
    door.turns.use(defaults=default_policy(settings), slots=settings.fetch_slots)
    service.fetching.phase.limits = fetch_limits(settings, service.duties)
    service.storing.retention.bounds = archive_bounds(settings)
    service.storing.pruning.kept = kept(settings)
    # What is planned with the defaults is planned again now, and not only when its turn comes.
    for loop in service.loops:
        if loop.name in ("reconciler", "pricer"):
            loop.bell.ring()
