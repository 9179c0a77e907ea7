"""Settings that are changed while running: on the page, over the API and on the command line.

A setting that the environment or the command line of a process names is not changed by anybody else. A change is stored
in the database, where every process reads it within seconds.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from lamplighter.errors import BadInput, NotFound, NotPossible
from lamplighter.live_settings import LIVE_SETTINGS
from lamplighter.model.access import Stamp
from lamplighter.settings import Settings, checked
from lamplighter.store.access import audit_log
from lamplighter.store.engine.database import Connection
from lamplighter.store.fleet import changed_settings
from lamplighter.store.fleet.changed_settings import ChangedSetting


class SettingSource(StrEnum):
    """Where the value of a setting comes from."""

    DEFAULT = "default"
    #: an environment variable or an option of the command that started the process
    START = "start"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningSetting:
    """A setting that can be changed while running."""

    name: str
    value: Any
    default: Any
    source: SettingSource
    #: the environment variable that sets it, or would
    variable: str
    meaning: str
    takes_effect: str
    #: None unless it was changed
    changed_by: str | None = None
    changed_at: datetime | None = None


async def listed(db: Connection, settings: Settings) -> list[RunningSetting]:
    """All settings that can be changed while running, with their values in this process."""
    changes = await changed_settings.every(db)
    return [_shown(name, each.takes_effect, settings, changes.get(name)) for name, each in LIVE_SETTINGS.items()]


async def one(db: Connection, settings: Settings, name: str) -> RunningSetting:
    """One of them; NotFound if it cannot be changed while running."""
    _refuse_unknown(name)
    return next(each for each in await listed(db, settings) if each.name == name)


async def change(db: Connection, settings: Settings, wanted: Mapping[str, Any], *, stamp: Stamp) -> None:
    """Changes settings, all or none; None brings back the default."""
    before = await changed_settings.every(db)
    values = {name: _checked(settings, name, value) for name, value in wanted.items()}
    _refuse_crossed_bounds(settings, {name: each.value for name, each in before.items()} | values)
    for name, value in values.items():
        old = before[name].value if name in before else None
        if value == old:
            continue
        if value is None:
            await changed_settings.remove(db, name)
        else:
            await changed_settings.put(db, name, value, stamp=stamp)
        said = {"before": {"value": old}, "after": {"value": value}}
        await audit_log.write(db, stamp, "setting.change", f"setting:{name}", **said)


def _shown(name: str, effect: str, settings: Settings, change: ChangedSetting | None) -> RunningSetting:
    field = Settings.model_fields[name]
    source, value = SettingSource.DEFAULT, field.default
    if settings.is_given(name):
        source, value, change = SettingSource.START, getattr(settings, name), None
    elif change is not None:
        source, value = SettingSource.CHANGED, change.value
    return RunningSetting(
        name=name,
        value=value,
        default=field.default,
        source=source,
        variable=settings.variable_of(name),
        meaning=field.description or "",
        takes_effect=effect,
        changed_by=change.changed_by if change is not None else None,
        changed_at=change.changed_at if change is not None else None,
    )


def _refuse_unknown(name: str) -> None:
    if name in LIVE_SETTINGS:
        return
    if name in Settings.model_fields:
        raise NotPossible(
            f"{name} is read when a process starts and cannot be changed while it runs; set "
            f"{Settings.model_construct().variable_of(name)} in the environment and restart the service",
            code="setting_is_fixed",
        )
    raise NotFound(f"there is no setting {name[:100]!r}; lamplighter settings show lists those that can be changed")


def _checked(settings: Settings, name: str, value: Any) -> Any:
    _refuse_unknown(name)
    if settings.is_given(name):
        raise NotPossible(
            f"{name} is set by {settings.variable_of(name)} or by an option of the command, which wins; remove it "
            "there and restart the service to change it here",
            code="setting_is_given",
        )
    return None if value is None else checked(name, value)


def _refuse_crossed_bounds(settings: Settings, changed: Mapping[str, Any]) -> None:
    def value(name: str) -> float:
        if settings.is_given(name):
            return float(getattr(settings, name))
        default = Settings.model_fields[name].default
        return float(default if changed.get(name) is None else changed[name])

    least, most = value("min_interval_minutes"), value("max_interval_days")
    if least > most * 24 * 60:
        raise BadInput(
            f"min_interval_minutes={least:g} is more than max_interval_days={most:g}; use at most {most * 1440:g} "
            "minutes, or more days",
            field="min_interval_minutes",
        )
