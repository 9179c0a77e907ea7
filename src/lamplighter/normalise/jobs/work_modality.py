"""Where the work is done: onsite, remote, hybrid, home_based; None when nothing says it."""

from functools import lru_cache

from lamplighter.normalise.vocabulary import FoldedText, vocabulary, words_of

_REMEMBERED = 4_096

# The first that is found wins: a text that says "hybrid" usually also mentions remote days and the office.
_MODALITIES = vocabulary(
    {
        "hybrid": """
            hybrid, hybride, híbrido, híbrida, ibrido, hybrydow*, hybridi*, hybridní, hybridarbeit, гибрид*, гібрид*,
            hibrit, هجين, partly remote, partially remote, remote partiel, télétravail partiel, teilweise homeoffice,
            混合办公, ハイブリッド, 하이브리드
        """,
        "home_based": """
            home based, homebased, home base, based at home, basé à domicile, à domicile, desde casa,
            desde el domicilio, base en el hogar
        """,
        "remote": """
            remote, remotely, telecommute, telecommuting, telework, teleworking, work from home, working from home,
            wfh, work from anywhere, distributed team, homeoffice, home office, fernarbeit, télétravail, à distance,
            remoto, remota, teletrabajo, teletrabalho, trabajo a distancia, da remoto, smart working, telelavoro,
            thuiswerk*, op afstand, zdaln*, praca z domu, distans, på distans, hjemmekontor, hjemmefra, etätyö*,
            etänä, na dálku, práce z domova, удаленн*, удалённ*, дистанцион*, віддален*, дистанційн*, uzaktan, عن بعد,
            远程, 遠程, 在家办公, リモート, 在宅, 재택, 원격
        """,
        "onsite": """
            onsite, on site, in office, in person, vor ort, präsenz, sur site, présentiel, presencial, in sede,
            op locatie, stacjonarn*, på plats, på stedet, paikan päällä, na místě, в офисе, в офісі, ofiste, 现场办公,
            出社, 상주
        """,
    }
)


def modality_in(words: FoldedText) -> str | None:
    """The modality in a text."""
    return _MODALITIES.first(words)


@lru_cache(_REMEMBERED)
def read_modality(text: str) -> str | None:
    """The modality in a field about it, or in a place; cached, because the same texts recur."""
    return modality_in(words_of(text))
