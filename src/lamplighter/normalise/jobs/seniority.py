"""The seniority of a role, by the words of its level or title.

The closed vocabulary, lowest first: `junior`, `mid`, `senior`, `lead`, `director`, `executive`.

Of a title only the words that qualify the role count: an adjective at the start or the end of a phrase that is not
about something else (senior citizens, lead poisoning, junior high), or the noun that names the role (director, head).
"""

from collections.abc import Mapping

from lamplighter.normalise.jobs.titles import Phrase, phrases_of
from lamplighter.normalise.vocabulary import FoldedText, words_in

_ADJECTIVES = {
    "junior": "junior jr młodszy młodsza mladší младший младшая молодший молодша nuorempi yngre",
    "mid": "mid midlevel intermediate medior",
    "senior": "senior sr snr sênior sénior starszy starsza starší старший старша старшая vanhempi kıdemli äldre",
    "lead": "lead principal chief leitende leitender leitendes ведущий ведущая провідний провідна główny główna "
    "hlavní главный главная головний johtava ledande ledende",
    "director": "head",
}
_NOUNS = {
    "lead": "lead leader teamleiter teamleiterin teamlead teamleader gruppenleiter gruppenleiterin líder lider тимлид",
    "director": "director directors directeur directrice direktor direktorin directora diretor diretora direttore "
    "direttrice direktør direktör dyrektor dyrektorka ředitel ředitelka директор директорка johtaja müdürü direktörü "
    "head chief leiter leiterin abteilungsleiter abteilungsleiterin bereichsleiter bereichsleiterin руководитель "
    "керівник начальник",
    "executive": "ceo cfo cto coo cio geschäftsführer geschäftsführerin toimitusjohtaja vorstand pdg",
}
#: in a field that is only about the level, more words are clear
_LEVELS = {
    "junior": "junior jr entry beginner einsteiger berufseinsteiger débutant débutante principiante graduate",
    "mid": "mid midlevel intermediate experienced berufserfahren confirmé confirmée medior",
    "senior": "senior sr snr sênior sénior",
    "lead": "lead principal staff",
    "director": "director head direktor directeur",
    "executive": "executive",
}
#: with these words an adjective is not a rank
_OTHERWISE = {
    "senior": "citizen citizens living housing home homes center centre centers centres care people adult adults "
    "companion high secondary school schools college residence residences services",
    "junior": "high school schools college league achievement tennis golf football academy secondary primary",
    "lead": "poisoning paint generation free acid exposure abatement contamination smelter time based gen",
    "head": "start office quarters lice teacher",
    "principal": "residence",
    "mid": "west east atlantic day night shift",
}
#: nouns that come first where their language puts their object behind them: Leiter Finanzen, Directrice financière
_DIRECT_WHAT_FOLLOWS = frozenset(
    "leiter leiterin directeur directrice directora diretor diretora direttore direttrice dyrektor dyrektorka ředitel "
    "ředitelka директор директорка руководитель керівник начальник".split()
)
_EXECUTIVES = (("executive", "director"), ("managing", "director"), ("vice", "president"), ("chief", "executive"))
_UNSPACED = {
    "junior": "初级 初級 ジュニア 주니어",
    "senior": "高级 高級 资深 資深 シニア 시니어",
    "lead": "首席 主管 リーダー 수석",
    "director": "总监 總監 部長 디렉터",
    "executive": "首席执行官 总裁 社長 대표이사",
}
#: senior high schools
_UNSPACED_OTHERWISE = ("高级中", "高級中", "高中")


def _by_word(table: Mapping[str, str]) -> dict[str, str]:
    return {word: rank for rank, words in table.items() for word in words.split()}


_ADJECTIVE, _NOUN, _LEVEL = _by_word(_ADJECTIVES), _by_word(_NOUNS), _by_word(_LEVELS)
_NO_RANK_BEFORE = {adjective: frozenset(words.split()) for adjective, words in _OTHERWISE.items()}
_KNOWN = frozenset([*_ADJECTIVE, *_NOUN, "vice"])
_WRITTEN_TOGETHER = tuple(_by_word(_UNSPACED).items())


def rank_in_level(text: str) -> str | None:
    """The rank in a field about the level; of "Mid-Senior level" the first."""
    return next((_LEVEL[word] for word in words_in(text) if word in _LEVEL), None)


def rank_in_title(title: str, words: FoldedText) -> str | None:
    """The rank of a title's role; None when no word qualifies it."""
    if not title.isascii() and (rank := _unspaced_rank(title)):
        return rank
    if _KNOWN.isdisjoint(words.words):
        return None
    return next((rank for phrase in phrases_of(title) if (rank := _rank(phrase))), None)


def _rank(phrase: Phrase) -> str | None:
    words = phrase.words
    if words[-2:] in _EXECUTIVES or (words[0] == "chief" and words[-1] == "officer"):
        return "executive"
    if phrase.head in _NOUN:
        return _NOUN[phrase.head]
    if words[0] in _DIRECT_WHAT_FOLLOWS:
        return "director"
    if len(words) > 1 and words[0] in _ADJECTIVE:
        return None if words[1] in _NO_RANK_BEFORE.get(words[0], ()) else _ADJECTIVE[words[0]]
    # Romance languages put the adjective last, and so do brackets: Analista Sênior, Developer (Senior).
    last = _ADJECTIVE.get(phrase.head)
    return last if last in ("junior", "mid", "senior") else None


def _unspaced_rank(title: str) -> str | None:
    if any(word in title for word in _UNSPACED_OTHERWISE):
        return None
    found = [(len(word), rank) for word, rank in _WRITTEN_TOGETHER if word in title]
    # The longest word is the most specific: 首席执行官 is more than 首席.
    return max(found)[1] if found else None
