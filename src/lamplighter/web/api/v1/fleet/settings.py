"""Settings that are changed while the service runs."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import Body
from pydantic import BaseModel, Field

from lamplighter.model.access import Role
from lamplighter.operations.fleet import running_settings
from lamplighter.operations.fleet.running_settings import SettingSource
from lamplighter.web.routes import Routes
from lamplighter.web.view import Asking, View

ROUTES = Routes("/api/v1/settings", tag="system")
Value = bool | int | float | str | None


class SettingOut(BaseModel):
    """A setting that can be changed while the service runs."""

    name: str = Field(examples=["budget_per_hour"])
    value: Value
    default: Value
    source: SettingSource
    variable: str = Field(examples=["LAMPLIGHTER_BUDGET_PER_HOUR"])
    meaning: str
    takes_effect: str
    changed_by: str | None = Field(examples=["user:mara"])
    changed_at: datetime | None


class SettingsOut(BaseModel):
    """All of them."""

    settings: list[SettingOut]


@ROUTES.get("", role=Role.ADMIN, response_model=SettingsOut)
async def show(view: View) -> Any:
    """The settings that can be changed while the service runs, and where their values come from."""
    return {"settings": await view.read(lambda db: running_settings.listed(db, view.settings))}


@ROUTES.patch("", role=Role.ADMIN, errors=(404, 409), response_model=SettingsOut)
async def change(
    view: View,
    caller: Asking,
    given: Annotated[dict[str, Value], Body(min_length=1, examples=[{"budget_per_hour": 2000, "keep_runs": None}])],
) -> Any:
    """Changes settings by name, all or none; null brings back the default.

    Every process applies the change within seconds. 409 for a setting that the environment sets, or that is only read
    when a process starts.
    """
    stamp = view.stamp(caller)
    await view.db.write(lambda db: running_settings.change(db, view.settings, given, stamp=stamp))
    await view.settings_changed()
    return await show(view)
