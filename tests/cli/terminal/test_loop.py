"""How a command's asynchronous part is run."""

import gc
import subprocess
import sys

from lamplighter.cli.terminal import loop


async def _seen() -> tuple[bool, int]:
    return gc.get_freeze_count() > 0, gc.get_threshold()[0]


def test_what_is_loaded_is_not_searched_for_garbage_while_a_command_runs_and_only_then() -> None:
    gc.unfreeze()  # what the tests before left so
    before = gc.get_freeze_count(), gc.get_threshold()

    is_frozen, young = loop.run(_seen())

    assert is_frozen
    assert young > before[1][0]
    assert (gc.get_freeze_count(), gc.get_threshold()) == before


_CIRCLE = f"""
import {loop.__name__} as loop

class Circle:
    def __init__(self): self.me = self
    def __del__(self): print("found")

async def work(): print("done")

circle = Circle()
loop.run(work())
"""


def test_a_command_that_has_ended_looks_for_no_garbage() -> None:
    said = subprocess.run([sys.executable, "-c", _CIRCLE], capture_output=True, text=True, check=True).stdout

    assert said.split() == ["done"]
