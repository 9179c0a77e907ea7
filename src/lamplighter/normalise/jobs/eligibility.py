"""May people from abroad apply? By the grade, else by what the posting says about nationality; else None."""

from lamplighter.normalise.vocabulary import FoldedText, vocabulary

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


def eligible_by_grade(level_norm: str) -> bool | None:
    """Whether posts of this grade are recruited worldwide; None when the grade does not tell."""
    if level_norm.startswith(_WORLDWIDE):
        return True
    return False if level_norm.startswith(_LOCAL) else None


def eligible_as_said(words: FoldedText) -> bool | None:
    """Whether a text says that recruitment is international; None when it does not say, or says both."""
    said = _SAID.hits(words)
    return "worldwide" in said if len(said) == 1 else None
