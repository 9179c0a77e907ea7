"""Writes docs/reference/settings.md from the settings themselves; with --check only says whether it is up to date."""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from pydantic import AliasChoices
from pydantic.fields import FieldInfo

from lamplighter.live_settings import LIVE_SETTINGS
from lamplighter.settings import PREFIX, Settings

FILE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "settings.md"
OPENING = f"""\
# Settings

Written by `scripts/write_settings_reference.py` from `src/lamplighter/setting_fields.py`; `make docs` writes it anew.

Every setting is read from the environment. An unknown name that begins with `{PREFIX}` is an error that names the
nearest known one. What the command line says (`--data`, `--port` and the like) wins over the environment.

Those that say under *Change* when it takes effect can also be changed while the service runs, by an admin: on the page
`/settings`, with `lamplighter settings set NAME VALUE`, or with `PATCH /api/v1/settings`. A change is stored in the
database and audited; every process applies it within seconds, and it survives restarts. What the environment or the
command line sets is not changed so: remove it there first.

`{PREFIX}SECRET_<NAME>` holds a secret that recipes refer to as `{{secret:name}}`, in lower case, in the headers of an
API. Secrets are read when a request is made; they are neither stored nor shown. `{PREFIX}HOSTS_OF_SECRET_<NAME>` names
the hosts to which it may be sent, separated by spaces or commas; without it the secret is sent nowhere.

| Setting | In the environment | Also read from | Default | Change | Meaning |
|---|---|---|---|---|---|
"""


def main() -> int:
    """Writes the file; with --check 1 when it would change."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail when the file is out of date")
    text = OPENING + "".join(f"{row}\n" for row in rows())
    if not parser.parse_args().check:
        FILE.write_text(text, encoding="utf-8")
        return 0
    if FILE.exists() and FILE.read_text(encoding="utf-8") == text:
        return 0
    print("docs/reference/settings.md does not say what the settings say; `make docs` writes it anew.", file=sys.stderr)
    return 1


def rows() -> Iterator[str]:
    """One line of the table for every setting, in the order of the code."""
    for name, field in Settings.model_fields.items():
        variable, *others = _spellings(name, field)
        aliases = ", ".join(f"`{other}`" for other in others) or "-"
        change = LIVE_SETTINGS[name].takes_effect if name in LIVE_SETTINGS else "-"
        meaning = (field.description or "").replace("|", "\\|")
        yield f"| {name} | `{variable}` | {aliases} | {_default(field)} | {change} | {meaning} |"


def _spellings(name: str, field: FieldInfo) -> list[str]:
    """The names under which the environment may give the setting, our own first."""
    choices = field.validation_alias
    assert isinstance(choices, AliasChoices), f"{name} is not declared like the other settings"
    return [str(choice) for choice in choices.choices if choice != name]


def _default(field: FieldInfo) -> str:
    if field.default is None or field.default == "":
        return "unset"
    shown = str(field.default).lower() if isinstance(field.default, bool) else str(field.default)
    return f"`{shown}`"


if __name__ == "__main__":
    sys.exit(main())
