"""Reads the duties of this process from the settings."""

from lamplighter.errors import BadSetting
from lamplighter.model.fleet import Duty
from lamplighter.settings import Settings


def duties_of(settings: Settings) -> frozenset[Duty]:
    """The duties that the settings name."""
    names = [name.strip().lower() for name in settings.duties.split(",") if name.strip()]
    unknown = [name for name in names if name not in set(Duty)]
    if unknown or not names:
        known = ", ".join(Duty)
        raise BadSetting(
            f"LAMPLIGHTER_DUTIES={settings.duties!r} names no duty that we know; use one or more of {known}"
        )
    duties = {Duty(name) for name in names}
    return frozenset(duties - {Duty.SCHEDULE} if settings.disable_scheduler else duties)
