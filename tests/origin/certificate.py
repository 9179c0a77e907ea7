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
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("the origin's TLS needs the openssl program (Debian package: openssl)")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.TemporaryDirectory(prefix="lamplighter-origin-") as folder:
        key, certificate = Path(folder, "key.pem"), Path(folder, "certificate.pem")
        options = (
            "-x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
            "-subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1"
        )
        subprocess.run(
            [openssl, "req", *options.split(), "-keyout", key, "-out", certificate],
            check=True,
            capture_output=True,
            timeout=120,
        )
        context.load_cert_chain(certificate, key)
        return SelfSigned(context, certificate.read_bytes())
