"""Words about time by language: months, "3 days ago", "5 days left", "yesterday"."""

from collections.abc import Mapping
from functools import lru_cache

from lamplighter.normalise.cldr import LANGUAGES, TimeDistance, fold, names_of, tokens, undisputed

#: words between a day, its month and its year without a meaning of their own
GLUE = frozenset("of the de del di da do den der d dne dana m gada god ngay nam года року".split())
#: endings of an ordinal number, when they come right after its digits
ORDINALS = frozenset("st nd rd th er re e eme nd o a ° го е ое й г р r ви ри ти ми".split())
#: the year before the first of each Japanese era
ERAS = {"令和": 2018, "平成": 1988}
#: "a day ago", "vor einer Stunde"
_ONES = (
    "a an one ein eine einem einer einen un une una uno um uma een en et ett jeden jedna yksi bir один одну одна одне"
)
_FROM_TWO = (
    "two three four five six seven eight nine ten",
    "zwei drei vier fünf sechs sieben acht neun zehn",
    "deux trois quatre cinq six sept huit neuf dix",
    "dos tres cuatro cinco seis siete ocho nueve diez",
    "dois três quatro cinco seis sete oito nove dez",
    "due tre quattro cinque sei sette otto nove dieci",
    "twee drie vier vijf zes zeven acht negen tien",
    "två tre fyra fem sex sju åtta nio tio",
    "to tre fire fem seks syv åtte ni ti",
    "два три четыре пять шесть семь восемь девять десять",
)

_LEFT = {
    "minute": "# minutes left | # minute left | # min left | noch # minuten | # minutes restantes",
    "hour": """
        # hours left | # hour left | # hours remaining | # h left | noch # stunden | # heures restantes
        | # horas restantes | quedan # horas | faltam # horas | mancano # ore | nog # uur | # timmar kvar
        | # timer igjen | # timer tilbage | осталось # часов | осталось # часа | # saat kaldı | 剩余 # 小时
        | 还剩 # 小时 | 残り # 時間 | あと # 時間 | # 시간 남음""",
    "day": """
        # days left | # day left | # days remaining | # day remaining | # days to go | # days to apply | # d left
        | noch # tage | noch # tag | # tage verbleibend | # tage übrig | # jours restants | # jour restant
        | reste # jours | # días restantes | # día restante | quedan # días | queda # día | faltan # días
        | # dias restantes | # dia restante | faltam # dias | falta # dia | restam # dias | mancano # giorni
        | manca # giorno | # giorni rimanenti | # giorni rimasti | nog # dagen | nog # dag | zostało # dni
        | pozostało # dni | został # dzień | # dagar kvar | # dag kvar | # dager igjen | # dag igjen | # dage tilbage
        | # dag tilbage | # päivää jäljellä | # päivä jäljellä | zbývá # dní | zbývají # dny | zbývá # den
        | осталось # дней | осталось # дня | остался # день | ещё # дней | ещё # дня | залишилось # днів
        | залишилося # днів | залишилось # дні | # gün kaldı | متبقي # أيام | متبقي # يوم | باقي # أيام | 剩余 # 天
        | 还剩 # 天 | 剩餘 # 天 | 還剩 # 天 | 还有 # 天 | 残り # 日 | あと # 日 | # 일 남음""",
    "week": "# weeks left | # week left | noch # wochen | # semaines restantes | # semanas restantes",
}
#: past forms that sites use and CLDR does not
_AGO = {
    "minute": "# minutes back | # mins ago | منذ # دقيقة | منذ # دقائق | 最近 # 分钟",
    "hour": "# hrs ago | # hr ago | # hours back | منذ # ساعة | منذ # ساعات | # 小时 之前 | fa # ore",
    "day": "# days back | منذ # يوم | منذ # أيام | # 天 之前 | há # dia | # días atrás | # dias atrás",
    "week": "# wks ago | منذ # أسبوع | منذ # أسابيع | # semanas atrás",
    "month": "# mos ago | منذ # شهر | منذ # أشهر | # meses atrás",
}
#: a span alone: whether age or remainder, only the caller that knows the column can say
_BARE = {
    "minute": "# min | # mins | # minutes",
    "hour": "# h | # hr | # hrs | # hour | # hours | # std | # stunden | # heures | # horas | # ore | # ч | # 小时",
    "day": """
        # d | # day | # days | # tag | # tage | # jour | # jours | # j | # día | # días | # dia | # dias | # giorno
        | # giorni | # dag | # dagen | # dagar | # dager | # dage | # dni | # dzień | # дн | # дней | # дня | # день
        | # gün | # 天 | # 日 | # 일""",
    "week": "# w | # wk | # wks | # week | # weeks | # semaines | # semanas | # wochen",
}
_DAYS = {
    0: """
        today | heute | aujourd'hui | hoy | hoje | oggi | vandaag | dzisiaj | dziś | idag | i dag | tänään | dnes
        | сегодня | сьогодні | bugün | اليوم | 今天 | 今日 | 오늘 | astăzi | azi | σήμερα | днес | danas | היום
        | امروز | hari ini | hôm nay | วันนี้ | avui | just posted | posted today""",
    -1: """
        yesterday | gestern | hier | ayer | ontem | ieri | gisteren | wczoraj | igår | i går | eilen | včera | вчера
        | вчора | dün | أمس | البارحة |
        منذ يوم | قبل يوم | 昨天 | 昨日 | 어제 | tegnap | χθες | jučer | juče | אתמול | دیروز | kemarin
        | hôm qua | เมื่อวาน | ahir""",
    1: """
        tomorrow | morgen | demain | mañana | amanhã | domani | jutro | imorgon | i morgon | i morgen | huomenna | zítra
        | завтра | yarın | غدا | 明天 | 明日 | 내일 | mâine | holnap | αύριο | утре | sutra | מחר | فردا
        | besok | ngày mai | พรุ่งนี้ | demà""",
    -2: """
        منذ يومين | قبل يومين | לפני יומיים
        | vorgestern | avant-hier | anteayer | anteontem | eergisteren | przedwczoraj | позавчера""",
    2: "übermorgen | après-demain | pasado mañana | depois de amanhã | overmorgen | послезавтра",
}
#: words that name a day in this language only
_ONLY_IN = {"hier": "fr", "jutro": "pl", "azi": "ro", "dun": "tr"}
_NOW = """
    now | just now | moments ago | a moment ago | gerade eben | soeben | à l'instant | ahora mismo | ahora | agora
    | agora mesmo | adesso | proprio ora | zojuist | przed chwilą | just nu | akkurat nå | juuri nyt | právě teď
    | только что | щойно | az önce | şimdi | الآن | 刚刚 | 刚才 | 剛剛 | たった今 | 방금 | 방금 전"""


@lru_cache(maxsize=64)
def months_of(language: str | None) -> Mapping[str, int]:
    """Month names of a page in this language: its own first, then English ones, which occur in all languages."""
    return names_of("en").months if language is None else {**names_of("en").months, **names_of(language).months}


@lru_cache(maxsize=1)
def number_words() -> Mapping[str, int]:
    """Numbers up to ten, as the most written languages spell them."""
    numbers = dict.fromkeys(map(fold, _ONES.split()), 1)
    for words in _FROM_TWO:
        numbers.update({fold(word): number for number, word in enumerate(words.split(), start=2)})
    return numbers


@lru_cache(maxsize=1)
def months_of_all_languages() -> Mapping[str, int]:
    """Month names of most languages, without those that mean another month in another language (listopad)."""
    return undisputed(names_of(language).months for language in LANGUAGES)


@lru_cache(maxsize=64)
def spans_of(language: str | None) -> Mapping[str, TimeDistance]:
    """Phrases such as "# days ago", as a page in this language means them."""
    return {**_every_span(), **names_of(language).spans} if language else _every_span()


@lru_cache(maxsize=1)
def bare_spans() -> Mapping[str, str]:
    """Spans such as "# days", with their unit."""
    return {words: unit for unit, texts in _BARE.items() for words in _phrases(texts)}


@lru_cache(maxsize=64)
def day_words(language: str | None) -> Mapping[str, int]:
    """Words for a day, as a page in this language means them: how many days from now."""
    every = {words: days for days, texts in _DAYS.items() for words in _phrases(texts)}
    return {words: days for words, days in every.items() if _ONLY_IN.get(words, language) == language}


@lru_cache(maxsize=1)
def now_words() -> frozenset[str]:
    return frozenset(_phrases(_NOW))


def as_phrase(text: str) -> str:
    """The text in the form of the tables here: folded, single spaces."""
    return " ".join(tokens(fold(text).replace("#", " 0 "))).replace("0", "#")


@lru_cache(maxsize=1)
def _every_span() -> dict[str, TimeDistance]:
    ours = {
        words: TimeDistance(unit, sign)
        for table, sign in ((_LEFT, 1), (_AGO, -1))
        for unit, texts in table.items()
        for words in _phrases(texts)
    }
    every = undisputed(names_of(language).spans for language in LANGUAGES)
    # A number and one word ("5 mln") is a distance in one language and something else in another.
    return {phrase: span for phrase, span in every.items() if phrase.count(" ") > 1} | ours


def _phrases(texts: str) -> list[str]:
    return [as_phrase(text) for text in texts.split("|")]
