"""A throw-away RabbitMQ: run by ourselves, without root's help, on free loopback ports and in a temporary folder."""

import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import aio_pika
import pytest

from tests.servers.sharing import State, free_port, shared_server

_GIVEN_URL = "LAMPLIGHTER_TEST_RABBITMQ_URL"
#: the package's own script: the one on the PATH wants to become another user
_SERVER = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")
#: one for each worker of a test run, so that none hears the messages of another
_VIRTUAL_HOSTS = [f"t{number}" for number in range(16)]
_QUEUES = ("priority_queue", "crawl_queue", "parse_queue", "dead_letter_queue")
#: it boots in 11 seconds on a machine that does nothing else
_BOOT_SECONDS = 90.0
_END_SECONDS = 10.0


@contextmanager
def broker(shared: Path) -> Iterator[str]:
    """The URL of a running server, for this worker of the test run."""
    if given := os.environ.get(_GIVEN_URL):
        yield given
        return
    with shared_server(shared, "rabbitmq", start=start, stop=stop) as state:
        number = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
        yield url_of(state, _VIRTUAL_HOSTS[number])


async def without_queues(url: str) -> None:
    """Removes our queues, and whatever an earlier test left in them."""
    async with await aio_pika.connect(url) as connection, connection.channel() as channel:
        for name in _QUEUES:
            await channel.queue_delete(name)


def url_of(state: State, virtual_host: str = _VIRTUAL_HOSTS[0]) -> str:
    """Where a server that was started is reached."""
    return f"amqp://guest:guest@{state['host']}:{state['port']}/{virtual_host}"


def start(host: str = "127.0.0.1") -> State:
    """Starts a server of one's own."""
    if not _SERVER.exists():
        pytest.skip(f"no RabbitMQ server here: install the Debian package rabbitmq-server, or set {_GIVEN_URL}")
    folder = Path(tempfile.mkdtemp(prefix="lamplighter-rabbitmq-"))
    ports = {name: free_port() for name in ("port", "dist_port", "epmd_port")}
    state = {"folder": str(folder), "host": host, **ports}
    everybody = "loopback_users.guest = false"
    (folder / "rabbitmq.conf").write_text(f"load_definitions = {folder}/definitions.json\n{everybody}\n")
    (folder / "plugins").write_text("[].\n")
    (folder / "definitions.json").write_text(json.dumps(_definitions()))
    return start_again(state)


def start_again(state: State) -> State:
    """Starts a server anew that was stopped, with what it kept."""
    folder = Path(state["folder"])
    env = os.environ | {
        "HOME": str(folder),
        "ERL_EPMD_PORT": str(state["epmd_port"]),
        "ERL_EPMD_ADDRESS": "127.0.0.1",
        "RABBITMQ_CONF_ENV_FILE": "/dev/null",
        "RABBITMQ_CONFIG_FILE": str(folder / "rabbitmq.conf"),
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "plugins"),
        "RABBITMQ_NODENAME": f"lamplighter{state['port']}@localhost",
        "RABBITMQ_NODE_IP_ADDRESS": state["host"],
        "RABBITMQ_NODE_PORT": str(state["port"]),
        "RABBITMQ_DIST_PORT": str(state["dist_port"]),
        "RABBITMQ_MNESIA_BASE": str(folder / "mnesia"),
        "RABBITMQ_LOG_BASE": str(folder / "log"),
        # Erlang would otherwise spin for a while whenever there is nothing to do, and that is most of the time here.
        "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": (
            "-kernel inet_dist_use_interface {127,0,0,1} +sbwt none +sbwtdcpu none +sbwtdio none"
        ),
    }
    # The names of nodes are asked of a server of Erlang's own: ours, so that it ends with us.
    commands = (["epmd", "-port", str(state["epmd_port"])], [str(_SERVER)])
    children = [_spawn(command, env, folder) for command in commands]
    running: State = state | {"pids": [child.pid for child in children]}
    _wait_for(children, running)
    for child in children:
        child.returncode = 0  # another process of the test run may be the last to leave, and end it
    return running


def kill(state: State) -> None:
    """Ends a server as a power cut would; what it kept stays."""
    for pid in state["pids"]:
        with suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)  # each leads a process group of its own
        with suppress(ChildProcessError):  # another process of the test run may have started it
            os.waitpid(pid, 0)
    give_up = time.monotonic() + _END_SECONDS
    while _answers(state) and time.monotonic() < give_up:
        time.sleep(0.02)


def stop(state: State) -> None:
    """Ends a server, and removes what it kept."""
    kill(state)
    shutil.rmtree(state["folder"], ignore_errors=True)


def _definitions() -> dict[str, object]:
    everything = {"configure": ".*", "write": ".*", "read": ".*"}
    return {
        "users": [{"name": "guest", "password": "guest", "tags": ""}],
        "vhosts": [{"name": name} for name in _VIRTUAL_HOSTS],
        "permissions": [{"user": "guest", "vhost": name} | everything for name in _VIRTUAL_HOSTS],
    }


def _spawn(command: list[str], env: dict[str, str], folder: Path) -> subprocess.Popen[bytes]:
    with (folder / "output.log").open("ab") as output:
        return subprocess.Popen(
            command, env=env, cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
        )


def _wait_for(children: list[subprocess.Popen[bytes]], state: State) -> None:
    give_up = time.monotonic() + _BOOT_SECONDS
    while time.monotonic() < give_up and all(child.poll() is None for child in children):
        if _answers(state):
            return
        time.sleep(0.1)
    kill(state)
    raise AssertionError((Path(state["folder"]) / "output.log").read_text()[-3000:])


def _answers(state: State) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((state["host"], state["port"])) == 0
