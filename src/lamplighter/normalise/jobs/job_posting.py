"""Infers fields of a job posting that the page does not give: grade, terms, place of work, mission, who may apply."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from lamplighter.normalise.fields import clean_text
from lamplighter.normalise.jobs.career_type import career_type_in_title, modality_in, read_career_type, read_modality
from lamplighter.normalise.jobs.grades import grade_in_level, grade_in_title
from lamplighter.normalise.jobs.mission_tags import MISSION_TAGS, mission_tags
from lamplighter.normalise.jobs.seniority import rank_in_level, rank_in_title
from lamplighter.normalise.vocabulary import FoldedText, vocabulary, words_of

_LONGEST_LEVEL = 200
#: characters of a description that are read: what a job is about comes first
_READ = 6_000
#: fields that are inferred, whatever the page gives under these names
CONCLUDED = frozenset({"career_type", "work_modality", "level_norm", "international_eligible", "mission_tags"})
#: terms that also say the level
_TERMS_THAT_ARE_LEVELS = ("internship", "consultancy")

#: grades that are recruited worldwide, and grades that are recruited in the country
_WORLDWIDE = ("P-", "D-", "ASG", "USG", "FS-", "IPSA-", "IICA-")
_LOCAL = ("G-", "NO-", "NPSA-", "LICA-", "SB-", "SC-")

_SAID = vocabulary(
    {
        "worldwide": """
            international recruitment, internationally recruited, international recruit, open to all nationalities,
            all nationalities, any nationality, international consultant, international un volunteer,
            international applicants, visa sponsorship available, we sponsor visas, visa sponsorship is available,
            recrutement international, toutes nationalités, toutes les nationalités, consultant international,
            todas las nacionalidades, contratación internacional, consultor internacional, todas as nacionalidades,
            internationale rekrutierung, alle nationalitäten, 不限国籍, 国籍不問
        """,
        "local": """
            locally recruited, local recruitment, national recruitment, nationals only, citizens only, national staff,
            national position, national post, national consultant, national un volunteer,
            must be authorized to work in, must be authorised to work in, must be legally authorized to work,
            must have the right to work in, must have right to work in, eligible to work in,
            authorized to work in the united states, without sponsorship, no visa sponsorship, unable to sponsor,
            not able to sponsor, cannot sponsor, us citizenship required, must be a us citizen, open to nationals,
            only open to nationals, for nationals of, must be a national of, must be nationals of, recrutement local,
            recrutement national, ressortissants uniquement, poste national, consultant national, contratación local,
            contratación nacional, solo nacionales, consultor nacional, recrutamento nacional,
            nur für staatsangehörige, arbeitserlaubnis erforderlich, 仅限本国公民
        """,
    }
)


class Posting(NamedTuple):
    """What is known of a posting before anything is inferred."""

    title: str
    description: str | None
    location: str | None
    is_remote: bool
    tags: Sequence[str]
    #: kind-specific values as extracted
    fields: Mapping[str, Any]


class Conclusions(NamedTuple):
    """What was inferred from the posting."""

    fields: dict[str, Any]
    #: name -> the raw field that it follows from
    sources: dict[str, str]


def conclude(posting: Posting) -> Conclusions:
    """Everything that can be inferred about the posting."""
    title = words_of(posting.title)
    description = words_of(posting.description[:_READ]) if posting.description else None
    career_type = _career_type(posting, title)
    level = _level(posting, title, career_type)
    found: dict[str, tuple[Any, str] | None] = {
        "career_type": career_type,
        "work_modality": _work_modality(posting, title),
        "level_norm": level,
        "international_eligible": _eligible(posting, level, title, description),
        "mission_tags": _mission(posting, title, description),
    }
    value = [(name, *each) for name, each in found.items() if each is not None]
    sources = {name: source for name, _, source in value if source != name}
    return Conclusions({name: value for name, value, _ in value}, sources)


def _career_type(posting: Posting, title: FoldedText) -> tuple[str, str] | None:
    if said := posting.fields.get("career_type"):
        return said, "career_type"
    found = career_type_in_title(posting.title, title)
    return (found, "title") if found else None


def _work_modality(posting: Posting, title: FoldedText) -> tuple[str, str] | None:
    if said := posting.fields.get("work_modality"):
        return said, "work_modality"
    if posting.location and (found := read_modality(posting.location)):
        return found, "location"
    if posting.is_remote:
        return "remote", "location"
    found = modality_in(title)
    return (found, "title") if found else None


def _level(posting: Posting, title: FoldedText, career_type: tuple[str, str] | None) -> tuple[str, str] | None:
    for name in ("level_norm", "level"):
        text = clean_text(posting.fields[name], longest=_LONGEST_LEVEL) if name in posting.fields else None
        if text and (found := _level_in(text)):
            return found, name
    if found := grade_in_title(posting.title):
        return found, "title"
    if career_type:
        terms, source = career_type
        if level := next((term for term in _TERMS_THAT_ARE_LEVELS if term in terms), None):
            return level, source
    found = rank_in_title(posting.title, title)
    return (found, "title") if found else None


def _level_in(text: str) -> str | None:
    """The level in a field about it: a grade, else terms such as an internship's, else a rank."""
    if grade := grade_in_level(text):
        return grade
    terms = read_career_type(text) or ""
    return next((term for term in _TERMS_THAT_ARE_LEVELS if term in terms), None) or rank_in_level(text)


def _eligible(
    posting: Posting, level: tuple[str, str] | None, title: FoldedText, description: FoldedText | None
) -> tuple[bool, str] | None:
    """By the grade; without a clear one, by the title, else the description."""
    said = posting.fields.get("international_eligible")
    if isinstance(said, bool):
        return said, "international_eligible"
    if level is not None and (by_grade := eligible_by_grade(level[0])) is not None:
        return by_grade, level[1]
    if (by_title := eligible_as_said(title)) is not None:
        return by_title, "title"
    by_text = eligible_as_said(description) if description else None
    return (by_text, "description") if by_text is not None else None


def _mission(posting: Posting, title: FoldedText, description: FoldedText | None) -> tuple[list[str], str] | None:
    """The tags by the posting's words, and those that its source gives it in our own terms."""
    given = posting.fields.get("mission_tags")
    known = [tag for tag in MISSION_TAGS if tag in given] if isinstance(given, list) else []
    tags, source = mission_tags(title=title, tags=[words_of(tag) for tag in posting.tags], description=description)
    together = sorted({*known, *tags}) if known else tags
    return (together, "mission_tags" if known else source) if together else None


def eligible_by_grade(level_norm: str) -> bool | None:
    """Whether posts of this grade are recruited worldwide; None when the grade does not tell."""
    if level_norm.startswith(_WORLDWIDE):
        return True
    return False if level_norm.startswith(_LOCAL) else None


def eligible_as_said(words: FoldedText) -> bool | None:
    """Whether a text says that recruitment is international; None when it does not say, or says both."""
    said = _SAID.hits(words)
    return "worldwide" in said if len(said) == 1 else None
