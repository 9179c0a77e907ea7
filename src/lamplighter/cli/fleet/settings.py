"""`lamplighter settings`: the settings that are changed while the service runs."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any

import typer

from lamplighter.cli.terminal.console import answer, print_json_or_lines
from lamplighter.cli.terminal.options import Data, Json, load_settings
from lamplighter.cli.terminal.transaction import in_reading, in_transaction
from lamplighter.live_settings import LIVE_SETTINGS
from lamplighter.model.access import Stamp
from lamplighter.operations.fleet import running_settings
from lamplighter.operations.fleet.running_settings import RunningSetting, SettingSource
from lamplighter.store.engine.database import Connection

app = typer.Typer(no_args_is_help=True, add_completion=False)
Name = Annotated[str, typer.Argument(help="The name, as in budget_per_hour.")]


@app.command()
def show(
    name: Annotated[str | None, typer.Argument(help="Only this setting.", show_default="all of them")] = None,
    as_json: Json = False,
    data: Data = None,
) -> None:
    """Show the settings that can be changed while the service runs, and where their values come from."""
    settings = load_settings(data)

    async def work(db: Connection, _: Stamp) -> list[RunningSetting]:
        if name is not None:
            return [await running_settings.one(db, settings, name)]
        return await running_settings.listed(db, settings)

    found = in_reading(settings, work)
    print_json_or_lines(as_json, [asdict(each) for each in found], map(_line, found))


@app.command("set")
def set_value(name: Name, value: Annotated[str, typer.Argument(help="The new value.")], data: Data = None) -> None:
    """Change a setting; running processes apply it within seconds."""
    answer(f"{_line(_changed({name: value}, data))}; takes effect {LIVE_SETTINGS[name].takes_effect}.")


@app.command()
def reset(name: Name, data: Data = None) -> None:
    """Bring back the default of a setting."""
    answer(f"{_line(_changed({name: None}, data))}; takes effect {LIVE_SETTINGS[name].takes_effect}.")


def _changed(values: Mapping[str, Any], data: Any) -> RunningSetting:
    settings = load_settings(data)

    async def work(db: Connection, stamp: Stamp) -> RunningSetting:
        await running_settings.change(db, settings, values, stamp=stamp)
        return await running_settings.one(db, settings, next(iter(values)))

    return in_transaction(settings, work)


def _line(each: RunningSetting) -> str:
    value = "unset" if each.value is None else each.value
    match each.source:
        case SettingSource.DEFAULT:
            source = "default"
        case SettingSource.START:
            source = f"set by {each.variable}"
        case SettingSource.CHANGED:
            source = f"changed by {each.changed_by}, {each.changed_at:%Y-%m-%d %H:%M} UTC"
    return f"{each.name} = {value}  ({source})"
