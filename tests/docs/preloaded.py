"""The `lamplighter` command in a process of its own, without the seconds that it takes to import.

A server imports the program once and forks for every call. The child has the caller's arguments, environment, folder
and open files, runs the console script, and says how it ended.
"""

import importlib
import json
import os
import signal
import socket
import sys
from typing import NoReturn

from lamplighter.cli import main


def serve(listening: socket.socket) -> None:
    """Runs a command for each connection, until our standard input is closed."""
    children: set[int] = set()
    owner = sys.stdin.fileno()
    os.set_blocking(owner, False)
    listening.settimeout(0.1)
    while not _is_closed(owner):
        children -= _ended(children)
        try:
            asking, _ = listening.accept()
        except TimeoutError:
            continue
        child = os.fork()
        if child == 0:
            listening.close()
            _run(asking)
        children.add(child)
        asking.close()
    for child in children - _ended(children):
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _ended(children: set[int]) -> set[int]:
    """Those that have ended; how, they have told their callers."""
    return {child for child in children if os.waitpid(child, os.WNOHANG)[0]}


def _is_closed(descriptor: int) -> bool:
    try:
        return os.read(descriptor, 1) == b""
    except BlockingIOError:
        return False


def _run(asking: socket.socket) -> NoReturn:
    message, files, _, _ = socket.recv_fds(asking, 1 << 20, 3)
    call = json.loads(message)
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.chdir(call["folder"])
    os.environ.clear()
    os.environ.update(call["environment"])
    sys.argv = ["lamplighter", *call["words"]]
    asking.sendall(f"{os.getpid()}\n".encode())
    code = 1
    try:
        main.run()
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        asking.sendall(f"{code}\n".encode())
        os._exit(code)


if __name__ == "__main__":
    for command in main.COMMANDS:
        importlib.import_module(f"lamplighter.cli.{main.COMMANDS[command][0]}.{command}")
    with socket.socket(socket.AF_UNIX) as opened:
        opened.bind(sys.argv[1])
        opened.listen()
        print("ready", flush=True)  # noqa: T201
        serve(opened)
