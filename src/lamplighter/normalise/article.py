"""The authors of an article, and its number of words."""

import re
from collections.abc import Iterator

_LONGEST, _LONGEST_NAME, _MOST_NAMES = 500, 80, 20
_MOST_WORDS = 6

_MAIL_AND_NAME = re.compile(r"\S+@\S+\s*\(([^()]+)\)")
_BYLINE = re.compile(
    r"(?:(?:written|posted|reported|published|words|story|text|foto|photo|article) by|by|par|por|door|av|af)\s+"
    r"|(?:author|authors|autor|autorin|autoren|auteur|auteure|autore|autrice|redacción|redaktion|text|автор|текст|作者|記者|记者|文|撰文|"
    r"저자|글)\s*[:：]\s*"
    # A name may begin so: "Von Neumann" stays, "Von Anna Meier" loses its "by".
    r"|(?:von|da|di|de)\s+(?=[A-ZÀ-Þ][\w.-]+\s+[A-ZÀ-Þ])",
    re.IGNORECASE,
)
_NAME_LIKE = re.compile(r"(?i:von|da|di|de)\s+[a-z]")
_BETWEEN = re.compile(
    r"\s*[,;|·•/&、，]\s*|\s+(?:and|und|et|y|e|en|och|og|ja|и|та|ve|with|mit|avec|con)\s+|\s+[-–—]\s+"
)
_FROM_A_DATE_ON = re.compile(r"\s*(?:\b(?:on|am|le|el|den|at|um|il|em|op|d)\b\.?\s*)?\d.*")
_DATE_WORDS = frozenset(
    "on am le at published updated posted veröffentlicht publié publicado aktualisiert mis jan january feb february "
    "mar march apr april may jun june jul july aug august sep sept september oct october nov november dec december "
    "monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun".split()
)
_ROLES = frozenset(
    "staff senior chief deputy associate assistant contributing freelance special guest political foreign science "
    "health business sports technology economics diplomatic investigative national international web digital news "
    "writer reporter correspondent editor columnist contributor journalist author producer analyst redakteur "
    "redakteurin korrespondent korrespondentin reporterin volontär volontärin journaliste rédacteur rédactrice "
    "correspondant correspondante periodista redactor redactora corresponsal jornalista repórter giornalista "
    "redattore verslaggever redacteur dziennikarz redaktor journalistin корреспондент журналист редактор".split()
)
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_WORD = re.compile(r"[^\W_][\w'’-]*")


def read_author(text: str) -> str | None:
    """The names, separated by commas, without what surrounds them: by-words, dates, roles, addresses."""
    texts = [text[:_LONGEST]]
    # Removing one may expose another: "by, by Ann".
    for _ in range(_MOST_NAMES):
        names = list(dict.fromkeys(name for text in texts for name in _names(text)))[:_MOST_NAMES]
        if names == texts:
            break
        texts = names
    return ", ".join(texts) or None


def word_count(text: str) -> int:
    """How many words a text has; in Chinese and Japanese, two characters count as one."""
    if text.isascii():
        return len(text.split())
    characters = len(_UNSPACED.findall(text))
    return len(_WORD.findall(_UNSPACED.sub(" ", text))) + (characters + 1) // 2


def _names(text: str) -> Iterator[str]:
    if mail := _MAIL_AND_NAME.fullmatch(text):
        text = mail[1]
    if "://" in text or "www." in text:
        return
    for part in _BETWEEN.split(_without_byline(text)):
        name = _without_date(_without_byline(part))
        if name and _is_name(name):
            yield name


def _without_byline(text: str) -> str:
    text = text.strip(" \t-–—:")
    while (found := _BYLINE.match(text)) and not _NAME_LIKE.match(text):
        text = text[found.end() :].strip(" \t-–—:")
    return text


def _without_date(text: str) -> str:
    words = _FROM_A_DATE_ON.sub("", text).split()
    while words and words[-1].lower().strip(".,:") in _DATE_WORDS and len(words) > 2:
        words.pop()
    return " ".join(words)


def _is_name(text: str) -> bool:
    words = text.split()
    if len(text) > _LONGEST_NAME or len(words) > _MOST_WORDS or "@" in text:
        return False
    return any(word.lower().strip(".,") not in _ROLES and word.lower() not in _DATE_WORDS for word in words)
