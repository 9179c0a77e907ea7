"""Looks for input that breaks what reads it, guided by the code that each input reaches: `make fuzz`.

    python -m tests.security.fuzz [--seconds 60] [NAME ...]

Each target has a folder under build/fuzz/ with what it was given so far. What breaks it lies beside as NAME-crash-…,
and is played again with --again FILE. An exception, a promise that is not kept, more than a second of CPU time and more
than 300 MB break it.
"""

import argparse
import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import NoReturn

from tests.security.limits import within_limits

_FOLDER = Path("build/fuzz")
#: where `make` installs the fuzzer: looked into last, for it brings packages that we have ourselves
_TOOLS = Path("build/security/lib")


def main() -> int:
    """Fuzzes the targets one after the other; 1 when something was found."""
    options = _options()
    if options.again is not None or options.inside:
        _fuzz(options.names[0], seconds=options.seconds, again=options.again)
    broken = [name for name in options.names or _all_names() if not _is_sound(name, options.seconds)]
    _say(f"broken: {', '.join(broken)}" if broken else "nothing was broken")
    return bool(broken)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.security.fuzz", description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="targets; all of them when none is named")
    parser.add_argument("--seconds", type=int, default=60, help="for each target (60)")
    parser.add_argument("--again", type=Path, metavar="FILE", help="play this input to the target that is named")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _all_names() -> list[str]:
    from tests.security.targets import TARGETS

    return list(TARGETS)


def _is_sound(name: str, seconds: int) -> bool:
    """Fuzzes a target in a process of its own, which ends at the first thing that breaks it."""
    command = [sys.executable, "-W", "ignore", "-m", "tests.security.fuzz", "--inside", "--seconds", str(seconds), name]
    run = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    lines = run.stderr.splitlines()
    told = [line for line in lines if line.startswith("Done")] if run.returncode == 0 else lines[-40:]
    _say("\n  ".join([f"{name}:", *told]))
    return run.returncode == 0


def _fuzz(name: str, *, seconds: int, again: Path | None) -> NoReturn:
    sys.path.extend(os.fspath(path) for path in _TOOLS.glob("python*/site-packages"))
    import atheris  # type: ignore[import-untyped]

    # Only what is imported here is watched.
    with atheris.instrument_imports(include=["lamplighter"]):
        from tests.security.targets import TARGETS

    # What is read first loads tables and compiles patterns.
    for sample in TARGETS[name].samples:
        TARGETS[name].play(sample)
    target, folder = TARGETS[name], _FOLDER / name
    folder.mkdir(parents=True, exist_ok=True)
    for number, sample in enumerate(target.samples):
        (folder / f"sample-{number}").write_bytes(sample)
    play = partial(within_limits, target.play)
    bounds = ["-timeout=10", "-rss_limit_mb=1500", "-max_len=4000", f"-max_total_time={seconds}"]
    atheris.Setup([sys.argv[0], os.fspath(again or folder), *bounds, f"-artifact_prefix={folder}-"], play)
    atheris.Fuzz()
    raise AssertionError("the fuzzer ends the process")


if __name__ == "__main__":
    sys.exit(main())
