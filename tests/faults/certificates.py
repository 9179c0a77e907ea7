"""Certificates, good and bad, and the authority that signs them."""

import ssl
import tempfile
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

_DAY = timedelta(days=1)


class Authority:
    """Signs certificates that the service believes."""

    def __init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _name("Authority of the tests")
        root = (
            _begun(self._name, self._name, self._key)
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .add_extension(_signing_certificates(), critical=True)
            .sign(self._key, hashes.SHA256())
        )
        #: its certificate, for clients that believe it
        self.certificate: bytes = root.public_bytes(Encoding.PEM)

    def server(self, host: str, *, expired: bool = False, signed: bool = True) -> ssl.SSLContext:
        """What a server for `host`, a name or an address, shows; not signed by this authority when it signs itself."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = _name(host)
        named: x509.GeneralName
        try:
            named = x509.IPAddress(ip_address(host))
        except ValueError:
            named = x509.DNSName(host)
        certificate = (
            _begun(subject, self._name if signed else subject, key, ago=30 * _DAY if expired else _DAY)
            .add_extension(x509.SubjectAlternativeName([named]), critical=False)
            .sign(self._key if signed else key, hashes.SHA256())
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        with tempfile.NamedTemporaryFile(prefix="lamplighter-certificate-") as file:
            secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
            Path(file.name).write_bytes(secret + certificate.public_bytes(Encoding.PEM))
            context.load_cert_chain(file.name)
        return context


def _begun(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, *, ago: timedelta = _DAY
) -> x509.CertificateBuilder:
    """A certificate that holds for ten days from `ago` on, and is not signed yet."""
    begins = datetime.now(UTC) - ago
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begins)
        .not_valid_after(begins + 10 * _DAY)
    )


def _name(common: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common)])


def _signing_certificates() -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=True,
        crl_sign=True,
        encipher_only=False,
        decipher_only=False,
    )
