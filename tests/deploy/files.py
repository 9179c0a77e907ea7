"""The files under deploy/, as tests read them."""

import re
from typing import Any

import yaml

from tests.repository import ROOT

FOLDER = ROOT / "deploy"
COMPOSE: dict[str, Any] = yaml.safe_load((FOLDER / "compose.yaml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
MANIFESTS: list[dict[str, Any]] = [
    manifest
    for path in sorted((FOLDER / "kubernetes").glob("*.yaml"))
    for manifest in yaml.safe_load_all(path.read_text())
]
#: ${NAME}, ${NAME:-default} or ${NAME:?what is missing}
VARIABLE = re.compile(r"(?<!\$)\$\{(\w+)(?::([-?])([^}]*))?\}")
#: what must not stand in a file
SECRET = re.compile(r"PASS(WORD)?$|SECRET|_KEYS?$")


def interpolated(text: str, values: dict[str, str]) -> str:
    """A value as compose makes it of the variables in it."""
    return VARIABLE.sub(lambda found: values.get(found[1]) or (found[3] if found[2] == "-" else ""), text)


def pod_specs() -> list[dict[str, Any]]:
    """What each deployment's pods are made of."""
    return [each["spec"]["template"]["spec"] for each in MANIFESTS if each["kind"] == "Deployment"]
