"""Mission tags: what a job is for, from a small published taxonomy (docs/mission-tags.md).

A tag is given when the title or one of the posting's own tags uses one of its words, or when the description uses
several: two, or three for the professions, whose words every description uses in passing.
"""

from collections.abc import Mapping, Sequence

from lamplighter.normalise.jobs.mission_words import MISSION_WORDS
from lamplighter.normalise.vocabulary import FoldedText, vocabulary

#: what each tag is for, as published
MISSION_TAGS: Mapping[str, str] = {
    "child_protection": "children's safety and rights, orphans, family tracing",
    "climate": "climate change, energy transition, environment, biodiversity",
    "communications": "press, media, campaigns, public information",
    "disaster_risk": "disaster preparedness, early warning, resilience",
    "economic_development": "livelihoods, trade, small enterprises, poverty reduction",
    "education": "schools, universities, teaching, training of teachers",
    "finance_admin": "accounting, budget, human resources, office administration",
    "food_security": "agriculture, nutrition, hunger, fisheries",
    "gender": "equality of women and men, gender-based violence",
    "governance": "public administration, elections, anti-corruption, civil society",
    "health": "medicine, nursing, epidemics, public health",
    "human_rights": "human rights, rule of law for people, disability inclusion",
    "humanitarian": "emergency response, camps, relief",
    "legal": "lawyers, contracts, courts, compliance",
    "logistics_procurement": "supply, fleets, warehouses, purchasing",
    "migration": "refugees, displaced people, asylum, integration",
    "monitoring_evaluation": "monitoring, evaluation, surveys, learning",
    "peace_security": "peacekeeping, mediation, mine action, disarmament",
    "technology_data": "software, data, networks, information security",
    "water_sanitation": "water, sanitation, hygiene",
}
#: tags whose words occur in every description
_PROFESSIONS = frozenset(
    {"communications", "finance_admin", "legal", "logistics_procurement", "monitoring_evaluation", "technology_data"}
)
_ENOUGH, _ENOUGH_OF_A_PROFESSION = 2, 3
_MOST = 5
#: words of a description that count as much as one of the title
_OF_A_TITLE = 10

_IN_TITLES = vocabulary({tag: words.replace("!", "") for tag, words in MISSION_WORDS.items()})
_IN_TEXTS = vocabulary(
    {tag: ",".join(word for word in words.split(",") if "!" not in word) for tag, words in MISSION_WORDS.items()}
)


def mission_tags(
    *, title: FoldedText, tags: Sequence[FoldedText], description: FoldedText | None
) -> tuple[list[str], str]:
    """The tags of a posting by its words, at most five, and the most reliable field that gave them."""
    evidence: dict[str, int] = {}
    source = "description"
    for name, words in (("title", title), *(("tags", words) for words in tags)):
        for tag, hits in _IN_TITLES.hits(words).items():
            evidence[tag] = evidence.get(tag, 0) + hits * _OF_A_TITLE
            source = name if source == "description" else source
    for tag, hits in _IN_TEXTS.hits(description).items() if description else ():
        enough = _ENOUGH_OF_A_PROFESSION if tag in _PROFESSIONS else _ENOUGH
        if tag in evidence or hits >= enough:
            evidence[tag] = evidence.get(tag, 0) + hits
    if len(evidence) <= _MOST:
        return sorted(evidence), source
    strongest = sorted(evidence, key=lambda tag: (-evidence[tag], tag))[:_MOST]
    return sorted(strongest), source
