"""Light or dark: what a browser remembers of its visitor's choice."""

from collections.abc import Mapping

THEME = "lamplighter_theme"
THEMES = ("light", "dark")


def theme_of(cookies: Mapping[str, str]) -> str:
    """What was chosen; empty when nothing was, and it is as the visitor's system has it."""
    chosen = cookies.get(THEME, "")
    return chosen if chosen in THEMES else ""
