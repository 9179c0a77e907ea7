"""Every action that runs and processes write down is documented, and every documented one is written."""

import re

from lamplighter.model.run_log import LogAction
from tests.repository import ROOT

DOCUMENT = (ROOT / "docs" / "logs.md").read_text(encoding="utf-8")
SOURCE = {path: path.read_text(encoding="utf-8") for path in sorted((ROOT / "src" / "lamplighter").rglob("*.py"))}

#: log.info("run.finished", …, and what is said there when the key is not a plain text
CALL = re.compile(r"\b_?log\.(debug|info|warning|error|exception|critical)\(\s*([^\s,)]+)")
ROW = re.compile(r"^\| `([a-z_.]+)` \| (debug|info|warning|error) \|", re.MULTILINE)
#: an exception is an error with its traceback
LEVELS = {"exception": "error", "critical": "error"}


def _called() -> tuple[dict[str, set[str]], set[str]]:
    """Key -> levels, of the keys that stand in calls; and whatever else stands there."""
    keys: dict[str, set[str]] = {}
    others: set[str] = set()
    for text in SOURCE.values():
        for level, said in CALL.findall(text):
            if re.fullmatch(r'"[a-z_.]+"', said):
                keys.setdefault(said.strip('"'), set()).add(LEVELS.get(level, level))
            else:
                others.add(said)
    return keys, others


def test_every_action_of_run_logs_is_told_as_it_is_declared() -> None:
    rows = [f"| `{action}` | {action.category} | {action.level} | {action.meaning} |" for action in LogAction]

    assert [row for row in rows if row not in DOCUMENT] == []


def test_every_action_of_run_logs_is_written_somewhere() -> None:
    used = {name for text in SOURCE.values() for name in re.findall(r"\bLogAction\.([A-Z_]+)\b", text)}

    assert [action for action in LogAction if action.name not in used] == []


def test_every_event_that_the_process_logs_is_documented_at_its_level() -> None:
    documented = dict(ROW.findall(DOCUMENT))
    keys, _ = _called()

    assert {key: levels for key, levels in keys.items() if levels != {documented.get(key)}} == {}


def test_every_documented_event_is_logged() -> None:
    keys, others = _called()
    whole = "".join(SOURCE.values())
    # Of keys that are put together, the first part stands in the call: f"notification.{result}".
    begun = tuple(said[2:].partition("{")[0] for said in others if said.startswith('f"'))

    missing = [
        key
        for key, _ in ROW.findall(DOCUMENT)
        if key not in keys and f'"{key}"' not in whole and not (begun and key.startswith(begun))
    ]

    assert missing == []
