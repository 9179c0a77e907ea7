"""How a command's asynchronous part is run."""

import gc

from lamplighter.cli import loop


async def _seen() -> tuple[bool, int]:
    return gc.get_freeze_count() > 0, gc.get_threshold()[0]


def test_what_is_loaded_is_not_searched_for_garbage_while_a_command_runs_and_only_then() -> None:
    before = gc.get_freeze_count(), gc.get_threshold()

    is_frozen, young = loop.run(_seen())

    assert is_frozen
    assert young > before[1][0]
    assert (gc.get_freeze_count(), gc.get_threshold()) == before
