"""A real nginx in front of the service, on a free port of loopback."""

import os
import pwd
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_AROUND = """\
daemon off;
{user}
worker_processes 1;
pid {folder}/nginx.pid;
events {{ }}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
{server}
}}
"""


def free_port() -> int:
    """A port that nobody listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def nginx(folder: Path, server: str, *, port: int) -> Iterator[None]:
    """Serves this `server` block, which listens on this port, until the block is left."""
    program = shutil.which("nginx", path=os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin")))
    if program is None:
        pytest.skip("needs nginx (Debian package: nginx-light)")
    config, errors = folder / "nginx.conf", folder / "nginx-errors.log"
    # Started by root, nginx gives its worker to "nobody", who may not read our folder.
    user = f"user {pwd.getpwuid(0).pw_name};" if os.geteuid() == 0 else ""
    config.write_text(_AROUND.format(user=user, folder=folder, server=server))
    process = subprocess.Popen([program, "-c", config, "-e", errors], stdin=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < deadline:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.02)
        assert process.poll() is None, errors.read_text()
        yield
    finally:
        process.terminate()
        process.wait(60)
