"""Parses the proxy form like the API, and shows it again without its password."""

import re
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from lamplighter.errors import BadInput
from lamplighter.operations.proxies.proxies import ProxySettings
from lamplighter.web.dashboard.forms import SubmittedForm, faults_of
from lamplighter.web.proxy_fields import ProxyFields
from lamplighter.web.values import BIGGEST

_PASSWORD = "proxy_password"
#: the credentials in a URL; a password may contain any character, so they end at the last @
_IN_URL = re.compile(r"^((?:[A-Za-z0-9+.-]+://)?).*@", re.DOTALL)
#: error messages for the form
_WORDS = {
    "int_parsing": "This is not a whole number.",
    "float_parsing": "This is not a number.",
    "string_pattern_mismatch": "Two letters, such as DE.",
}
_AGAIN = "Type the password again; the form does not keep it."


def settings_of(form: SubmittedForm) -> ProxySettings:
    """The proxy settings from the form; ValidationError if it is invalid."""
    filled = {name: form.text(name) for name in ProxyFields.model_fields if form.text(name)}
    return ProxyFields.model_validate(filled).settings()


def _typed(form: SubmittedForm) -> dict[str, str]:
    """The typed values without the password, to show them again."""
    given = {name: form.text(name) for name in ProxyFields.model_fields if name != _PASSWORD}
    given["proxy_url"] = _IN_URL.sub(r"\1", given["proxy_url"])
    return given


def refused(form: SubmittedForm, error: ValidationError | BadInput) -> dict[str, Any]:
    """The template variables of an invalid form: status, errors and typed values."""
    faults = dict(_faults_in(error) if isinstance(error, ValidationError) else faults_of(error))
    if form.text(_PASSWORD) or _IN_URL.match(form.text("proxy_url")):
        faults.setdefault(_PASSWORD, _AGAIN)
    return {"status": 422, "faults": faults, "given": _typed(form)}


def numbers_of(form: SubmittedForm) -> list[int]:
    """The selected proxies."""
    given = form.many("proxy_ids")
    if not all(each.isascii() and each.isdigit() and int(each) <= BIGGEST for each in given):
        raise BadInput("These are not ids of proxies.", field="proxy_ids")
    return [int(each) for each in given]


def _faults_in(error: ValidationError) -> Mapping[str, str]:
    """The error of each field, without repeating the typed value."""
    told = error.errors(include_url=False, include_input=False, include_context=False)
    return {str(each["loc"][0]): _WORDS.get(each["type"], each["msg"].removeprefix("Value error, ")) for each in told}
