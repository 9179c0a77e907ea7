"""A mail server that keeps what it is given, asks for a password if it is told to, and can refuse at every step."""

import asyncio
from asyncio import StreamReader, StreamWriter
from base64 import b64decode
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Self


@dataclass(slots=True)
class Taken:
    """An e-mail as it was handed over."""

    sender: str
    recipients: list[str]
    raw: bytes
    #: user and password that were given before; None when nobody asked
    login: tuple[str, str] | None = None

    @property
    def message(self) -> EmailMessage:
        """The same, read."""
        read = message_from_bytes(self.raw, policy=policy.default)
        assert isinstance(read, EmailMessage)
        return read


@dataclass(slots=True)
class MailServer:
    """Listens on a free loopback port while the context lasts."""

    #: "user:password" that is asked for
    login: str | None = None
    #: command -> what is answered instead of taking it, as in {"RCPT": "550 no such user"}
    refusing: dict[str, str] = field(default_factory=dict)
    #: takes connections and never says a word
    is_mute: bool = False
    taken: list[Taken] = field(default_factory=list)
    port: int = 0
    _server: asyncio.Server | None = None
    _conversations: set[asyncio.Task[None]] = field(default_factory=set)

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._converse, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for conversation in self._conversations:
            conversation.cancel()
        await asyncio.gather(*self._conversations, return_exceptions=True)
        await self._server.wait_closed()

    def url(self, credentials: str = "") -> str:
        """How LAMPLIGHTER_SMTP_URL names it."""
        return f"smtp://{credentials}127.0.0.1:{self.port}?from=lamplighter@example.org"

    async def _converse(self, reader: StreamReader, writer: StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._conversations.add(task)
        try:
            await self._speak(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            self._conversations.discard(task)
            writer.close()

    async def _speak(self, reader: StreamReader, writer: StreamWriter) -> None:
        def say(text: str) -> None:
            writer.write(f"{text}\r\n".encode())

        if self.is_mute:
            await reader.read()
            return
        say("220 ready")
        letter, given = Taken("", [], b""), None
        while line := (await reader.readuntil(b"\r\n")).decode().strip():
            command = line.split()[0].upper()
            if command in self.refusing:
                say(self.refusing[command])
                continue
            match command:
                case "EHLO":
                    say("250-here\r\n250 AUTH PLAIN" if self.login else "250 here")
                case "AUTH":
                    _, user, password = b64decode(line.split()[2]).decode().split("\0")
                    is_right = f"{user}:{password}" == self.login
                    given = (user, password) if is_right else None
                    say("235 welcome" if is_right else "535 wrong password")
                case "MAIL" if self.login and given is None:
                    say("530 authentication required")
                case "MAIL":
                    letter = Taken(_mailbox(line), [], b"", given)
                    say("250 ok")
                case "RCPT":
                    letter.recipients.append(_mailbox(line))
                    say("250 ok")
                case "DATA":
                    say("354 go on")
                    raw = (await reader.readuntil(b"\r\n.\r\n")).removesuffix(b".\r\n")
                    letter.raw = raw.replace(b"\r\n..", b"\r\n.")
                    self.taken.append(letter)
                    say("250 taken")
                case "QUIT":
                    say("221 bye")
                    return
                case _:
                    say("250 ok")


def _mailbox(line: str) -> str:
    return line.partition("<")[2].partition(">")[0]
