"""What somebody filled in about a proxy: read as the API reads it, and given back without its password."""

import re
from collections.abc import Mapping

from pydantic import ValidationError

from lamplighter.operations.proxies import ProxySettings
from lamplighter.web.api.tasks.shapes_proxies import ProxyFields
from lamplighter.web.dashboard.forms import Form

_PASSWORD = "proxy_password"
#: who asks, in an address; a password may hold any sign, so that it ends at the last @
_IN_URL = re.compile(r"^((?:[A-Za-z0-9+.-]+://)?).*@", re.DOTALL)
#: of what cannot be used, in the words of a form
_WORDS = {
    "int_parsing": "This is no whole number.",
    "float_parsing": "This is no number.",
    "string_pattern_mismatch": "Two letters, such as DE.",
}
AGAIN = "Type the password again; it is not kept in the form."


def settings_of(form: Form) -> ProxySettings:
    """The settings that a form asks for; ValidationError when it cannot be read."""
    filled = {name: form.text(name) for name in ProxyFields.model_fields if form.text(name)}
    return ProxyFields.model_validate(filled).settings()


def typed(form: Form) -> dict[str, str]:
    """What was typed, to be shown again: never a password."""
    given = {name: form.text(name) for name in ProxyFields.model_fields if name != _PASSWORD}
    given["proxy_url"] = _IN_URL.sub(r"\1", given["proxy_url"])
    return given


def had_password(form: Form) -> bool:
    """Whether a password was among what was typed."""
    return bool(form.text(_PASSWORD) or _IN_URL.match(form.text("proxy_url")))


def faults_in(error: ValidationError) -> Mapping[str, str]:
    """What is wrong with which field, never repeating what was typed."""
    told = error.errors(include_url=False, include_input=False, include_context=False)
    return {str(each["loc"][0]): _WORDS.get(each["type"], each["msg"].removeprefix("Value error, ")) for each in told}
