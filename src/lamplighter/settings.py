"""The configuration: read from the environment, some of it changed while running; and what follows from it."""

import difflib
import os
import re
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

from pydantic import AliasChoices, PrivateAttr, SecretStr, ValidationError, field_validator

from lamplighter import __version__, seed_variables
from lamplighter.errors import BadInput, BadSetting
from lamplighter.live_settings import LIVE_SETTINGS
from lamplighter.setting_fields import PREFIX as PREFIX
from lamplighter.setting_fields import SettingFields
from lamplighter.validation_words import words_of

#: the rest of the name, in lower case, is how a recipe refers to the secret
SECRET_PREFIX = PREFIX + "SECRET_"
#: names the hosts to which such a secret may be sent
SECRET_HOSTS_PREFIX = PREFIX + "HOSTS_OF_SECRET_"

_LONGEST_AGENT = 500
_EMAIL = r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@(?:[A-Za-z0-9-]+\.)+[A-Za-z0-9-]+"
_PAGE = r"https?://[^\s()<>@]+"
_CONTACT_EMAIL = re.compile(_EMAIL)
_CONTACT_URL = re.compile(rf"{_PAGE}|mailto:{_EMAIL}")
#: within a User-Agent
_CONTACT = re.compile(rf"{_PAGE}|{_EMAIL}")
#: characters of a header that no server misreads, the first word with a name that a robots.txt can address
_AGENT = re.compile(r"[A-Za-z_-][\x20-\x7e]*")
#: first words that name somebody else
_OTHERS = frozenset({"mozilla", "chrome", "safari", "firefox", "opera", "edge", "googlebot", "bingbot"})


class Settings(SettingFields):
    """The whole configuration. Only `take` changes it, and only the settings that can change while running."""

    #: name -> value of every LAMPLIGHTER_SECRET_*; never shown
    _secrets: dict[str, SecretStr] = PrivateAttr(default_factory=dict)
    #: name -> hosts of a secret of the environment
    _secret_hosts: dict[str, str] = PrivateAttr(default_factory=dict)
    #: field -> the environment variable that set it
    _variables: dict[str, str] = PrivateAttr(default_factory=dict)
    #: variables of other crawlers that have no effect, with the reason
    _unused: dict[str, str] = PrivateAttr(default_factory=dict)

    @field_validator("user_agent", "contact_url", "contact_email")
    @classmethod
    def _empty_is_unset(cls, text: str | None) -> str | None:
        return (text or "").strip() or None

    @field_validator("user_agent")
    @classmethod
    def _agent_can_be_addressed(cls, agent: str | None) -> str | None:
        if agent is None:
            return None
        example = "for example 'OrchardBot/1.0 (+https://orchard.example/bot)'"
        if not _AGENT.fullmatch(agent) or len(agent) > _LONGEST_AGENT:
            raise ValueError(
                f"must begin with the name of your crawler and have at most {_LONGEST_AGENT} plain ASCII characters, "
                f"{example}"
            )
        name = re.split(r"[\s/;]", agent, maxsplit=1)[0]
        if name.lower() in _OTHERS:
            raise ValueError(f"names {name}, which is not your crawler; begin it with your crawler's name, {example}")
        return agent

    @field_validator("contact_url")
    @classmethod
    def _contact_is_a_page(cls, url: str | None) -> str | None:
        if url is not None and not _CONTACT_URL.fullmatch(url):
            raise ValueError("is no address of a page; use the like of https://orchard.example/bot")
        return url

    @field_validator("contact_email")
    @classmethod
    def _contact_is_an_address(cls, email: str | None) -> str | None:
        if email is not None and not _CONTACT_EMAIL.fullmatch(email):
            raise ValueError("is no e-mail address; use the like of crawler@orchard.example")
        return email

    @property
    def secrets(self) -> Mapping[str, str]:
        """Secrets that recipes may refer to by name; read when a request is sent, never stored or logged."""
        return {name: secret.get_secret_value() for name, secret in self._secrets.items()}

    def hosts_of_secret(self, name: str) -> tuple[str, str]:
        """The variable with the hosts of a secret of the environment, and its value; empty when it is not set."""
        return SECRET_HOSTS_PREFIX + name.upper(), self._secret_hosts.get(name, "")

    @property
    def jwt_secret(self) -> str | None:
        """The secret that signs tokens; None when there is none."""
        # An empty variable, as composed environments have them, counts as unset.
        return (self.auth_jwt_secret.get_secret_value() or None) if self.auth_jwt_secret else None

    @property
    def is_dev(self) -> bool:
        """Whether users of this machine may do everything, without a login."""
        return self.env == "dev" or (self.env is None and self.jwt_secret is None)

    @property
    def resolved_database_url(self) -> str:
        """The database to open: the given one, or the file in the data folder."""
        return self.database_url or f"sqlite:///{self.data_dir / 'lamplighter.db'}"

    @property
    def most_redirects(self) -> int:
        """How many redirects are followed for one page."""
        return self.max_redirects if self.follow_redirects else 0

    @property
    def resolved_user_agent(self) -> str:
        """Our User-Agent; unless it is set, with a contact, or with the URL that explains the crawler."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        contact = self.contact_url or self.contact_email or f"http://{host}:{self.port}/bot"
        return self.user_agent or f"LamplighterBot/{__version__} (+{contact})"

    @property
    def has_contact(self) -> bool:
        """Whether a site owner could find out who we are."""
        return bool(self.contact_url or self.contact_email or (self.user_agent and _CONTACT.search(self.user_agent)))

    @property
    def unused_variables(self) -> Mapping[str, str]:
        """Variables of the crawlers that Lamplighter replaces that have no effect here, each with the reason."""
        return dict(self._unused)

    def is_given(self, field: str) -> bool:
        """Whether the environment or the command line set a field when this process started: nothing else may."""
        return field in self.model_fields_set

    def take(self, changes: Mapping[str, Any]) -> bool:
        """Applies all that was changed while running, and nothing else; whether anything is different now.

        What this process was given at its start stays, and so does the default of what is invalid here.
        """
        before = dict(self.__dict__)
        for name in LIVE_SETTINGS:
            if self.is_given(name):
                continue
            try:
                value = checked(name, changes[name]) if name in changes else None
            except BadInput:
                value = None
            self.__dict__[name] = type(self).model_fields[name].default if value is None else value
        return self.__dict__ != before

    def variable_of(self, field: str) -> str:
        """The environment variable that set a field; our own name for it when none did."""
        return self._variables.get(field, PREFIX + field.upper())

    @property
    def lease(self) -> timedelta:
        """How long a lease lasts without a heartbeat."""
        return timedelta(seconds=self.lease_seconds)


def checked(name: str, value: Any) -> Any:
    """The value of a setting that can be changed while running, as its own type; BadInput if it is refused."""
    said, most = f"{name}={str(value)[:100]!r}", LIVE_SETTINGS[name].most
    try:
        number = getattr(Settings(**{name: value}), name)
    except ValidationError as error:
        raise BadInput(f"{said} {words_of(error.errors()[0])}", field=name) from None
    # Not `number > most`: that is false for what is not a number.
    if most is not None and number is not None and not number <= most:
        raise BadInput(f"{said} must be at most {most:,.0f}", field=name)
    return number


def load(env: Mapping[str, str] | None = None, /, **overrides: Any) -> Settings:
    """Loads the environment; an unknown name or an invalid value is an error that says what would work."""
    names = os.environ if env is None else env
    known = {PREFIX + field.upper() for field in Settings.model_fields}
    free = (PREFIX + "TEST_", SECRET_PREFIX, SECRET_HOSTS_PREFIX)
    for name in names:
        if name.startswith(PREFIX) and name not in known and not name.startswith(free):
            near = difflib.get_close_matches(name, known, n=1, cutoff=0.0)
            raise BadSetting(f"{name} is not a setting; did you mean {near[0]}?")
    variables = dict(_set_variables(names))
    given = {field: names[variable] for field, variable in variables.items()}
    try:
        settings = Settings(**given | {name: value for name, value in overrides.items() if value is not None})
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        name = variables.get(_field_of(place), place)
        shown = "" if any(word in place.upper() for word in ("SECRET", "KEY")) else f"={first.get('input')!r}"
        raise BadSetting(f"{name}{shown} {words_of(first)}") from None
    settings._variables.update(variables)
    aliases = frozenset(alias for field in Settings.model_fields for alias in _aliases(field))
    settings._unused.update(seed_variables.notes(names, settings=aliases, archive_url=settings.archive_url))
    settings._secrets.update({name: SecretStr(value) for name, value in _with_prefix(names, SECRET_PREFIX)})
    settings._secret_hosts.update(_with_prefix(names, SECRET_HOSTS_PREFIX))
    for name in settings._secret_hosts.keys() - settings._secrets.keys():
        raise BadSetting(
            f"{SECRET_HOSTS_PREFIX}{name.upper()} is for {SECRET_PREFIX}{name.upper()}, which is not set; "
            f"for a stored secret, use: lamplighter secrets hosts {name} HOST"
        )
    return settings


def _with_prefix(names: Mapping[str, str], prefix: str) -> Iterator[tuple[str, str]]:
    """The variables with this prefix, by the rest of their names in lower case."""
    for name, value in names.items():
        if name.startswith(prefix):
            yield name.removeprefix(prefix).lower(), value


def _set_variables(names: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Each field that the environment sets, with the variable that does."""
    for field in Settings.model_fields:
        for alias in _aliases(field):
            if alias in names:
                yield field, alias
                break


def _field_of(place: str) -> str:
    """The field that a validation error is about, which may go by one of its variables."""
    return next((field for field in Settings.model_fields if place in (field, *_aliases(field))), place)


def _aliases(field: str) -> tuple[str, ...]:
    choices = Settings.model_fields[field].validation_alias
    return tuple(map(str, choices.choices)) if isinstance(choices, AliasChoices) else ()
