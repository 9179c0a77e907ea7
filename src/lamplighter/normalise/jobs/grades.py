"""Which grade of an international organisation does a level or title name?

The closed vocabulary is `_SERIES`, with ASG, USG and UNV of the United Nations and GA to GK of the World Bank. A field
about the level may be terse. A title must set the grade apart: G20, a D1 visa, S3 storage, a network operations centre
(NOC) and General Electric are no grades.
"""

import re
from collections.abc import Mapping

_DIGITS = {str(number): str(number) for number in range(1, 17)} | {f"0{number}": str(number) for number in range(1, 10)}
_ROMAN = {"I": "I", "II": "II", "III": "III", "IV": "IV", "1": "I", "2": "II", "3": "III", "4": "IV"}
_LETTERS = dict(zip("ABCDE12345", "ABCDEABCDE", strict=True))


def _numbered(first: int, last: int) -> dict[str, str]:
    return {text: number for text, number in _DIGITS.items() if first <= int(number) <= last}


#: how a series is written, its normal spelling, and its steps
_SERIES: Mapping[str, tuple[str, Mapping[str, str]]] = {
    # United Nations: professional and above, general, field and security service, national officers, agreements.
    "P": ("P", _numbered(1, 7)), "D": ("D", _numbered(1, 2)), "G": ("G", _numbered(1, 7)),
    # Two digits are the United States' General Schedule.
    "GS": ("G", {str(step): str(step) for step in range(1, 8)}),
    "FS": ("FS", _numbered(1, 7)), "S": ("S", _numbered(1, 7)), "L": ("L", _numbered(1, 7)),
    "NO": ("NO", _LETTERS), "NPO": ("NO", _LETTERS),
    "IPSA": ("IPSA", _numbered(1, 12)), "NPSA": ("NPSA", _numbered(1, 11)),
    "SB": ("SB", _numbered(1, 5)), "SC": ("SC", _numbered(1, 11)),
    # Project services.
    "ICS": ("ICSC", _numbered(1, 14)), "ICSC": ("ICSC", _numbered(1, 14)),
    "IICA": ("IICA", _numbered(1, 4)), "LICA": ("LICA", _numbered(1, 11)),
    # European Union.
    "AD": ("AD", _numbered(5, 16)), "AST": ("AST", _numbered(1, 11)), "ASTSC": ("AST-SC", _numbered(1, 6)),
    "FG": ("FG", _ROMAN), "GF": ("FG", _ROMAN),
}  # fmt: skip
#: names with no other meaning
_UNMISTAKABLE = frozenset({"IPSA", "NPSA", "IICA", "LICA", "ICSC", "ASTSC"})
#: names with many other meanings when written together with a digit
_NEED_A_HYPHEN = frozenset({"S", "L", "FS", "SB"})

_HYPHENS = "-‐‑–"
_GRADE = (
    r"(?<![\w&.+])(?<!\w[-/])(?P<series>AST[-/ ]?SC|IPSA|NPSA|IICA|LICA|ICSC?|AST|NPO|NO|AD|FG|GF|FS|GS|SB|SC|[PDGSL])"
    rf"(?P<joint>[{_HYPHENS} ]?)(?P<step>\d{{1,2}}|IV|I{{1,3}}|[A-E])(?![\w&+]|[{_HYPHENS}]\d?[a-zA-Z]|\.\d)"
)
_GRADE_IN_TITLE = re.compile(_GRADE)
_GRADE_IN_LEVEL = re.compile(_GRADE, re.IGNORECASE)
_NAME_IN_LEVEL = re.compile(r"(?<!\w)(?:ASG|USG|UNV)(?!\w)", re.IGNORECASE)
_BANK_IN_LEVEL = re.compile(r"(?:(?:grade|level)[: ]*)?(G[A-K])", re.IGNORECASE)
_BANK_IN_TITLE = re.compile(r"\b[Gg]rade:? (G[A-K])\b")
_NAME_IN_TITLE = re.compile(r"(?:^|[(\[,|–-]\s*)(ASG|USG|UNV)(?=\s*(?:$|[)\],|–-]))")
#: with the letters that each may begin with, which saves most titles the search
_SPELT_OUT = (
    ("Aa", re.compile(r"assistant[ -]secretary[ -]general\b", re.IGNORECASE), "ASG"),
    ("Uu", re.compile(r"under[ -]secretary[ -]general\b", re.IGNORECASE), "USG"),
    (
        "UuIiNn",
        re.compile(
            r"(?:(?:inter)?national )?(?:UN|United Nations)(?: youth| university)? volunteers?\b", re.IGNORECASE
        ),
        "UNV",
    ),
)

_SEPARATORS = frozenset("()[]{},;:|/•·–—-")
_SAYS_GRADE = frozenset("grade level grades levels niveau nivel grado grau stufe livello уровень класс".split())
_NO_GRADE_AFTER = frozenset(
    "ward room block gate building zone phase unit section bay wing floor line form type terminal platform sector "
    "model version class size route vitamin visa number house area site plot district".split()
)
_NO_GRADE_BEFORE = frozenset(
    "visa visas license licence driver drivers league athlete athletes summit permit trigger vitamin".split()
)
_ROLE_ENDINGS = tuple(
    "er or ist ant ent ian erk ary eur ate hief ead urse rice ante ista ogo ogue ert ern yst eer ect".split()
)


def grade_in_level(text: str) -> str | None:
    """The first grade in a field about the level."""
    for match in _GRADE_IN_LEVEL.finditer(text):
        if grade := _spelling(match):
            return grade
    if name := _NAME_IN_LEVEL.search(text):
        return name[0].upper()
    bank = _BANK_IN_LEVEL.fullmatch(text.strip())
    return bank[1].upper() if bank else None


def grade_in_title(title: str) -> str | None:
    """The first grade in a title that is clearly marked as a grade."""
    for match in _GRADE_IN_TITLE.finditer(title):
        if (grade := _spelling(match)) and _is_meant(title, match):
            return grade
    if ("SG" in title or "UNV" in title) and (name := _NAME_IN_TITLE.search(title)):
        return name[1]
    if "rade" in title and (bank := _BANK_IN_TITLE.search(title)):
        return bank[1]
    return next((grade for start, pattern, grade in _SPELT_OUT if title[0] in start and pattern.match(title)), None)


def _series(match: re.Match[str]) -> str:
    return re.sub(r"[-/ ]", "", match["series"]).upper()


def _spelling(match: re.Match[str]) -> str | None:
    name, steps = _SERIES[_series(match)]
    step = steps.get(match["step"].upper())
    return f"{name}-{step}" if step else None


def _is_meant(title: str, match: re.Match[str]) -> bool:
    """Whether what looks like a grade is at a place where titles put grades."""
    left, right = title[: match.start()].rstrip(), title[match.end() :].lstrip()
    before = left.rpartition(" ")[2].strip("().,").lower()
    after = right.partition(" ")[0].strip("().,").lower()
    series, has_hyphen = _series(match), match["joint"] in _HYPHENS and match["joint"] != ""
    if series in _UNMISTAKABLE or before in _SAYS_GRADE:
        return True
    starts, ends = not left or left[-1] in _SEPARATORS, not right or right[0] in _SEPARATORS
    if (before in _NO_GRADE_AFTER and not starts) or (after in _NO_GRADE_BEFORE and not ends):
        return False
    if series in ("NO", "NPO") and not has_hyphen:
        return "national" in title.lower()
    if series in _NEED_A_HYPHEN and not has_hyphen:
        return False
    if starts:
        return ends or has_hyphen
    return before.endswith(_ROLE_ENDINGS) if not (ends and has_hyphen) else True
