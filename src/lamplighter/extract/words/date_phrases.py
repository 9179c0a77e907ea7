"""What do the words around a date call it: "Apply before 3 May", "bis zum 3. Mai", "3月5日まで"?"""

import re
from itertools import islice
from typing import NamedTuple

from lamplighter.extract.words.field_words import bare, field_for, word_pattern
from lamplighter.extract.words.value_types import DATE

DATE_FIELDS = frozenset({"deadline", "published_at", "updated_at"})
#: the last day of something: of applications where jobs are listed, of an exhibition elsewhere
UNTIL = "until"
#: characters and dates of a text that are read
_LONGEST = 600
_MOST_DATES = 4
#: characters before a date that can name it
_NAMING = 60

#: words right before the last day, and those that only come right behind it
_BEFORE = word_pattern(
    r"(?:^|\s)(?:by|before|until|till?|through|no later than|not later than|on or before|up to|bis(?: (?:zum|spatestens"
    r"|einschliesslich))?|spatestens(?: am)?|jusqu (?:au|a)|avant le|au plus tard(?: le)?|hasta(?: el)?(?: dia)?"
    r"|antes del?(?: dia)?|ate(?: o)?(?: dia)?|entro(?: il| l| le ore)?(?: giorno)?|non oltre il|fino al"
    r"|tot(?: en met)?|uiterlijk(?: op)?|t m|do(?: dnia)?|najpozniej(?: do)?|senast(?: den)?|t o m|fram till"
    r"|innen(?: den)?|senest(?: den)?|til og med|viimeistaan|nejpozdeji(?: do)?|до|по|не позднее|не пізніше|حتى|قبل"
    r"|لغاية)(?: (?:mon|tues|wednes|thurs|fri|satur|sun)day| \w+tag| lundi| mardi| mercredi| jeudi| vendredi| samedi"
    r"| dimanche| lunes| martes| miercoles| jueves| viernes| sabado| domingo| \w+dag)?$"
)
_OPEN_RANGE = re.compile(r"[~\u301c\uff5e]\s*$")
_BEHIND = re.compile(
    r"\s*(?:[(\uff08][^)\uff09]{1,4}[)\uff09]\s*)?(?:\d{1,2}(?:[:時시]\d{0,2}分?)\s*)?"
    r"(?:まで|マデ|迄|必着|締切|締め切り|〆切|까지|마감|截止|截至|前截止|(?:['\u2019]?\w{0,3}\s)?kadar\b|mennessä|saakka|asti)"
)
#: between the first day and the last
_RANGE = re.compile(
    r"(?:[(\uff08]?[月火水木金土日월화수목금토일][)\uff09]?\s*)?(?:[-\u2010-\u2015~\u301c\uff5e]|to|until|till?|and|bis"
    r"|zum|bis zum|au|jusqu au|al|hasta el|a|ate|e|do|tot(?: en met)?|t m|senast|til|до|по|から|부터)"
)
#: what is submitted until then
_HANDED_IN = word_pattern(
    r"\b(?:appl(?:y|ied|icat)|candidat|bewerb|einreich|postul|solicit|inscri|submi|submet|propos|bids?\b|tenders?\b"
    r"|quot|offers?\b|offres?\b|offert|angebot|ofert|reage|sollicit|aplik|zglosz|sklada|nadsyl|anso[kg]|sok|hak[ue]"
    r"|prihlas|basvur|teklif|domand|istanz|dossier|respond|repl(?:y|ies)|recei|recib|recev|recept|register|regist"
    r"|anmeld|send|enviar|envoy|close|clos|deadline|frist|plazo|prazo|scad|termin|delai|cierr|encerr|sluit)"
    r"|заяв|прием|подач|отклик|відгук|подан|предложен|пропозиц|التقديم|تقديم|طلبات|报名|申请|应聘|投标|応募|募集|受付|提出"
    r"|접수|모집|지원|제출|入札"
)
#: what else ends on a day
_LASTS = word_pattern(
    r"\b(?:contra(?:c?t|tt?o|ct\w*)\b|vertrag|befrist|laufzeit|projekt|elternzeit|mutterschutz|maternit|parental|durat"
    r"|duree|duracion|duracao|durata|duur|cdd|tijdelijk|umow|vikariat|tempora|fixed|term\b|limited|funded|position"
    r"|employment|anstallning|ansettelse|engagement|starting|start\b|from|beginn?|ab\b|poste\b|puesto\b)"
    r"|на срок|договор"
)


class NamedDate(NamedTuple):
    """A date in a text, and what the words beside it call it."""

    #: a date field, UNTIL, or "" where they say nothing
    field: str
    text: str


def named_dates(text: str) -> list[NamedDate]:
    """The dates of a text in order, each with its name; of a range that has a name only its end counts."""
    found = list(islice(DATE.finditer(text[:_LONGEST]), _MOST_DATES))
    named: list[NamedDate] = []
    end, began = 0, ""
    for place, match in enumerate(found):
        before, end = text[end : match.start()], match.end()
        following = found[place + 1].start() if place + 1 < len(found) else len(text)
        if named and _RANGE.fullmatch(bare(before) or before.strip()):
            # "Applications from 1 May to 3 June": the range has been named, and its end is what counts.
            is_named = named[-1].field == "deadline" or _HANDED_IN.search(began) is not None
            if is_named:
                named.pop()
            field = "deadline" if is_named else ""
        else:
            began = bare(before)
            field = name_before(before) or ("deadline" if _BEHIND.match(text[end:following]) else "")
        named.append(NamedDate(field, match[0].strip(" ,.")))
    return named


def name_before(words: str) -> str:
    """What the words before a date call it."""
    if not words or words.isspace():
        return ""
    # Only words in the same sentence and the same bracket belong to the date.
    clause = re.split(r"[.;!?(\uff08\u3002]\s+|[(\uff08\u3002]", words)[-1][-_NAMING:]
    field = field_for(clause)
    if field in DATE_FIELDS:
        return field
    plain = bare(clause)
    if not _OPEN_RANGE.search(clause) and not _BEFORE.search(plain):
        return ""
    if _HANDED_IN.search(plain):
        return "deadline"
    return "" if _LASTS.search(plain) else UNTIL
