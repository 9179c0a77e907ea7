"""Sends e-mails through an SMTP server, encrypted wherever the server can."""

import asyncio
from base64 import b64encode
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.utils import format_datetime
from ipaddress import ip_address
from typing import Self
from urllib.parse import parse_qs, unquote, urlsplit

import aiosmtplib

from lamplighter.errors import BadInput, BadSetting
from lamplighter.model.notification import ChannelKind, DeliveryResult
from lamplighter.ports import Letter
from lamplighter.rules.alerts import notification_target

#: for everything from the connection to the server's last reply
SECONDS = 10.0
_PORTS = {"smtp": 587, "smtps": 465}


class _Unencrypted(Exception):
    """A password would be sent unencrypted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Smtp:
    """A mail server that accepts our e-mails."""

    host: str
    port: int
    #: encrypted from the first byte; otherwise as soon as the server offers it
    is_tls: bool
    sender: str
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    seconds: float = SECONDS

    @classmethod
    def at(cls, url: str) -> Self:
        """The server that a URL names; BadSetting never repeats the URL, which may hold a password."""
        try:
            parts = urlsplit(url)
            port = parts.port or _PORTS[parts.scheme]
            options = parse_qs(parts.query, strict_parsing=True)
            (sender,) = options.pop("from")
            sender = notification_target.parse(ChannelKind.EMAIL, sender).address
        except (ValueError, KeyError, BadInput):
            raise _bad_url() from None
        if not parts.hostname or options or parts.path.strip("/"):
            raise _bad_url()
        return cls(
            host=parts.hostname,
            port=port,
            is_tls=parts.scheme == "smtps",
            sender=sender,
            username=unquote(parts.username) if parts.username else None,
            password=unquote(parts.password or "") if parts.username else None,
        )

    async def send(self, letter: Letter) -> DeliveryResult:
        """Sends an e-mail; a refusal is reported in the server's words."""
        try:
            async with asyncio.timeout(self.seconds):
                await self._send(letter)
        except TimeoutError:
            return self._failed(letter, f"no response within {self.seconds:g} seconds")
        except aiosmtplib.SMTPRecipientsRefused as error:
            first = error.recipients[0]
            return self._failed(letter, first.message, status=first.code)
        except aiosmtplib.SMTPResponseException as error:
            return self._failed(letter, error.message, status=error.code)
        except (aiosmtplib.SMTPException, _Unencrypted, OSError, ValueError) as error:
            return self._failed(letter, str(error))
        return DeliveryResult(is_delivered=True, status=250, detail=f"{self.host} accepted the e-mail")

    async def _send(self, letter: Letter) -> None:
        server = aiosmtplib.SMTP(
            hostname=self.host, port=self.port, use_tls=self.is_tls, start_tls=None, timeout=self.seconds
        )
        async with server:
            if self.username is not None:
                if server.get_transport_info("sslcontext") is None and not _is_this_machine(self.host):
                    raise _Unencrypted("the server offers no encryption, so our password is not sent; use smtps://")
                await server.login(self.username, self.password or "")
            await server.send_message(self._message(letter), sender=self.sender, recipients=[letter.to])

    def _message(self, letter: Letter) -> EmailMessage:
        message = EmailMessage()
        message["From"], message["To"], message["Subject"] = self.sender, letter.to, letter.subject
        message["Date"] = format_datetime(letter.at)
        message["Message-ID"] = f"<{letter.id}@{self.sender.rpartition('@')[2]}>"
        # A machine wrote it: no automatic replies are wanted.
        message["Auto-Submitted"] = "auto-generated"
        message.set_content(letter.text)
        return message

    def _failed(self, letter: Letter, why: str, *, status: int | None = None) -> DeliveryResult:
        said = self._without_secrets(" ".join(why.split()))[:300].replace(letter.to, "the address")
        return DeliveryResult(is_delivered=False, status=status, detail=f"SMTP server {self.host}:{self.port}: {said}")

    def _without_secrets(self, said: str) -> str:
        """The reply without secrets: some servers repeat a line they do not understand, as AUTH with the password."""
        if not self.password:
            return said
        forms = (f"\0{self.username}\0{self.password}", self.password)
        for secret in (*(b64encode(form.encode()).decode() for form in forms), self.password):
            said = said.replace(secret, "***")
        return said


def _is_this_machine(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _bad_url() -> BadSetting:
    return BadSetting(
        "LAMPLIGHTER_SMTP_URL names no mail server and sender; use "
        "smtp://user:password@host:587?from=lamplighter@example.org, or smtps://…"
    )
