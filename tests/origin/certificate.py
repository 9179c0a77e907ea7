"""A self-signed certificate for loopback, made once per process by the openssl program."""

import shutil
import ssl
import subprocess
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import pytest


class SelfSigned(NamedTuple):
    """A server that no sane client trusts, and what makes a client trust it."""

    server: ssl.SSLContext
    #: the certificate (PEM), for clients that trust it
    certificate: bytes


@lru_cache
def self_signed() -> SelfSigned:
    """One certificate, from both its sides."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.TemporaryDirectory(prefix="lamplighter-origin-") as folder:
        key, certificate = Path(folder, "key.pem"), Path(folder, "certificate.pem")
        write(key, certificate, names="DNS:localhost,IP:127.0.0.1")
        context.load_cert_chain(certificate, key)
        return SelfSigned(context, certificate.read_bytes())


def write(key: Path, certificate: Path, *, names: str) -> None:
    """Writes a new key and its certificate for these names, as in subjectAltName."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("TLS needs the openssl program (Debian package: openssl)")
    options = (
        "-x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
        f"-subj /CN=localhost -addext subjectAltName={names}"
    )
    subprocess.run(
        [openssl, "req", *options.split(), "-keyout", key, "-out", certificate],
        check=True,
        capture_output=True,
        timeout=120,
    )
