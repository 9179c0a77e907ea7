"""Who serves the benchmark site? One nginx worker of our own, on a free port of loopback addresses only.

It is a child of whoever runs the benchmark, never of a contender, so its CPU time is in nobody's bill.
"""

import os
import pwd
import re
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.request import urlopen

_STATUS_PATH: Final = "/nginx-status"
_PATIENCE_SECONDS: Final = 10.0

_CONFIG: Final = """\
daemon off;
{user}
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log warn;
events {{ worker_connections 4096; }}
http {{
  access_log off;
  types {{ text/html html; text/plain txt; }}
  default_type application/octet-stream;
  {charset}
  sendfile on;
  tcp_nopush on;
  {validators}
  keepalive_timeout {keep_alive};
  keepalive_requests 1000000;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  server {{
{listens}
{certificate}
    root {site}/$server_addr;
  }}
  server {{
    listen 127.0.0.1:{status_port};
    location = {status} {{ stub_status; }}
  }}
}}
"""
_NO_VALIDATORS: Final = "etag off; if_modified_since off; add_header Last-Modified '';"
_CERTIFICATE: Final = "    ssl_certificate {}; ssl_certificate_key {};"


class NginxMissingError(RuntimeError):
    """nginx is neither on PATH nor in /usr/sbin."""

    def __init__(self) -> None:
        super().__init__(
            "The benchmark site is served by nginx, which was not found; install the package nginx-light or nginx."
        )


class NginxFailedError(RuntimeError):
    """nginx ended, or did not answer in time; the message is its error log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """A running nginx."""

    port: int
    status_url: str

    def requests(self) -> int:
        """Requests answered since the start, these questions among them: the site's own word for it."""
        with urlopen(self.status_url, timeout=_PATIENCE_SECONDS) as answer:
            counters = re.search(rb"\n\s*\d+ \d+ (\d+)", answer.read())
        if counters is None:
            raise NginxFailedError(f"nginx gave no counters at {self.status_url}")
        return int(counters[1])


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """How the site is served; never compressed, or contenders would be compared on their decompressors."""

    #: Without it, pages say their encoding themselves.
    says_charset: bool = True
    #: ETag and Last-Modified; without them nobody can ask whether a page has changed.
    has_validators: bool = True
    #: Without it, every request needs a connection of its own.
    keeps_alive: bool = True
    #: certificate and key (PEM) for HTTPS
    tls: tuple[Path, Path] | None = None
    #: None is any free port.
    port: int | None = None


@contextmanager
def serve(site: Path, addresses: Sequence[str], serving: Serving = Serving()) -> Iterator[Origin]:  # noqa: B008 - frozen
    """Serves `site/<address>/` on each address until the block is left."""
    program = shutil.which("nginx", path=os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin")))
    if program is None:
        raise NginxMissingError

    with tempfile.TemporaryDirectory(prefix="bench-nginx-") as name:
        folder = Path(name)
        port = serving.port or _port_free_on(addresses)
        status_port = _port_free_on(["127.0.0.1"])
        config = folder / "nginx.conf"
        config.write_text(
            _CONFIG.format(
                user=_user_line(),
                folder=folder,
                charset="charset utf-8;" if serving.says_charset else "",
                validators="etag on;" if serving.has_validators else _NO_VALIDATORS,
                keep_alive="75s" if serving.keeps_alive else "0",
                listens="\n".join(f"    listen {address}:{port}{_options(serving)};" for address in addresses),
                certificate="" if serving.tls is None else _CERTIFICATE.format(*serving.tls),
                site=site.resolve(),
                status=_STATUS_PATH,
                status_port=status_port,
            )
        )
        errors = folder / "error.log"
        process = subprocess.Popen(
            [program, "-c", config, "-e", errors], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            _wait_for(process, (addresses[0], port), errors)
            yield Origin(port=port, status_url=f"http://127.0.0.1:{status_port}{_STATUS_PATH}")
        finally:
            process.terminate()
            process.wait(_PATIENCE_SECONDS)


def _options(serving: Serving) -> str:
    return (" ssl" if serving.tls else "") + " backlog=1024"


def _user_line() -> str:
    # Started by root, nginx gives its worker to "nobody", who may not read our folders.
    return f"user {pwd.getpwuid(0).pw_name};" if os.geteuid() == 0 else ""


def _port_free_on(addresses: Sequence[str]) -> int:
    """A port that is free on every address at this moment."""
    for _ in range(20):
        with ExitStack() as stack:
            first = stack.enter_context(socket.socket())
            first.bind((addresses[0], 0))
            port = int(first.getsockname()[1])
            if all(_binds(stack, (address, port)) for address in addresses[1:]):
                return port
    raise NginxFailedError(f"No port is free on all of {len(addresses)} loopback addresses.")


def _binds(stack: ExitStack, endpoint: tuple[str, int]) -> bool:
    try:
        stack.enter_context(socket.socket()).bind(endpoint)
    except OSError:
        return False
    return True


def _wait_for(process: subprocess.Popen[bytes], endpoint: tuple[str, int], errors: Path) -> None:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(endpoint) == 0:
                return
        time.sleep(0.02)
    raise NginxFailedError(errors.read_text() if errors.exists() else "nginx did not start")
