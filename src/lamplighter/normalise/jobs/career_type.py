"""The terms on which a job is offered, and where the work is done.

The closed vocabulary: full_time, part_time, permanent, fixed_term, temporary, seasonal, per_diem, contract, freelance,
consultancy, internship, apprenticeship, volunteer. A job may be several at once: "full_time, permanent".
"""

from functools import lru_cache

from lamplighter.normalise.jobs.titles import Phrase, phrases_of
from lamplighter.normalise.vocabulary import FoldedText, vocabulary, words_in, words_of

_LONGEST = 300

_TERMS = vocabulary(
    {
        "full_time": """
            full time, fulltime, vollzeit, temps plein, temps complet, tiempo completo, jornada completa,
            tempo integral, tempo inteiro, período integral, tempo pieno, voltijd*, fulltids*, heltid*, heltids*,
            pełny etat, pełen etat, pełny wymiar, kokoaika*, kokopäivä*, plný úvazek, hlavní pracovní poměr,
            полная занятость, полный рабочий день, повна зайнятість, tam zamanlı, دوام كامل, 全职, 全職, 正社員,
            フルタイム, 풀타임, 정규직
        """,
        "part_time": """
            part time, parttime, teilzeit*, temps partiel, tiempo parcial, media jornada, meio período, tempo parcial,
            tempo parziale, deeltijd*, deltid*, niepełny etat, część etatu, pół etatu, osa aika*, osa päivä*,
            částečný úvazek, частичная занятость, неполный рабочий день, часткова зайнятість, yarı zamanlı, دوام جزئي,
            兼职, 兼職, パート, 파트타임
        """,
        "permanent": """
            permanent, unbefristet*, festanstellung, indefinite, open ended, cdi, durée indéterminée, indefinido,
            contrato indefinido, efetivo, tempo indeterminato, onbepaalde tijd, vast contract, vast dienstverband,
            umowa na czas nieokreślony, tillsvidare*, fast ansettelse, fast stilling, fastansættelse, vakituinen,
            toistaiseksi voimassa, doba neurčitá, dobu neurčitou, постоянная работа, постійна робота, kadrolu
        """,
        "fixed_term": """
            fixed term, befristet*, cdd, durée déterminée, tiempo determinado, plazo fijo, duración determinada,
            termo certo, prazo determinado, tempo determinato, bepaalde tijd, tijdelijk contract, czas określony,
            visstid*, tidsbegränsad*, tidsbegrænset*, määräaikai*, doba určitá, dobu určitou, срочный договор,
            строковий договір, belirli süreli, 契約社員, 계약직
        """,
        "temporary": """
            temporary, temp, temporal, temporaire, temporär, intérim, interim, temporário, temporanea, temporaneo,
            tijdelijk*, tymczasow*, tillfällig*, midlertidig*, tilapäinen, dočasn*, временная, тимчасова, geçici,
            مؤقت*, 临时, 臨時, 派遣, 임시직
        """,
        "seasonal": """
            seasonal, saison*, saisonnier*, estacional, sazonal, stagionale, seizoens*, sezonow*, säsong*, sesong*,
            sezónní, сезонн*, 季节性
        """,
        "per_diem": "per diem, casual, zero hours, daily wage, minijob, mini job, geringfügig*",
        "contract": "contract, contractor, contractual, fixed price, individual contract, service contract",
        "freelance": """
            freelance, freelancer, freiberuflich*, freie mitarbeit, indépendant*, autónomo, libero professionista,
            partita iva, zzp, self employed, b2b, фриланс*, フリーランス, 自由职业, 프리랜서
        """,
        "consultancy": """
            consultancy, consultant, consulting, konsulent, consultor*, consultoria, consultoría, consulente,
            консультант*, استشاري, 咨询顾问
        """,
        "internship": """
            internship, intern, interns, trainee, traineeship, praktikum, praktikant*, pflichtpraktik*, stage,
            stagiaire*, stagiair*, stagista, tirocini*, estagi*, estági*, prácticas, pasant*, becari*, staż*,
            praktyk*, praktikplats, praktik, harjoittelu, harjoittelija, stáž*, стажер*, стажёр*, стажировк*,
            стажуван*, stajyer, staj, متدرب*, 实习, 實習, インターン, 인턴
        """,
        "apprenticeship": """
            apprenticeship, apprentice*, ausbildung, azubi*, auszubildende*, lehrling*, lehrstelle*, duales studium,
            alternance, apprentissage, apprenti*, aprendiz*, apprendistato, leerling*, lärling*, lærling*,
            oppisopimus*, učeň, ученик, çırak, 学徒
        """,
        "volunteer": """
            volunteer, volunteering, voluntary, unv, ehrenamt*, freiwillig*, bénévol*, volontair*, voluntari*,
            volontari*, vrijwillig*, wolontari*, volontär*, frivillig*, vapaaehtoi*, dobrovoln*, волонт*, gönüllü*,
            متطوع*, 志愿者, 志願者, ボランティア, 자원봉사
        """,
    }
)
#: "a permanent contract" is not contract work
_FORMS = frozenset(_TERMS.codes) - {"full_time", "part_time", "contract"}
#: only these are reliable in a title; "consultant" is a profession as often as a contract
_IN_TITLES = frozenset({"internship", "apprenticeship", "volunteer"})
_TIME_IN_TITLES = ("full_time", "part_time")
_CONSULTANCIES = vocabulary(
    {
        "consultancy": """
            consultancy, international consultant, national consultant, individual consultant, local consultant,
            short term consultant, individual contractor, consultant international, consultant national,
            consultant e international, consultor internacional, consultora internacional, consultor nacional,
            consultoría, consultoria, consultor individual
        """
    }
)
#: a person who supervises interns and volunteers is not one
_LOOKS_AFTER = frozenset(
    "coordinator coordination manager supervisor officer administrator recruiter advisor adviser lead leader mentor "
    "assessor coach trainer tutor specialist director head management services program programme koordinator "
    "koordinatorin leiter leiterin betreuer betreuerin coordinateur coordinatrice coordinador coordinadora "
    "coördinator responsable ausbilder assistant associate".split()
)

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


def read_career_type(text: str) -> str | None:
    """The terms in a field about them, including schema.org's codes; None when none is known."""
    return _joined(list(_TERMS.hits(words_of(text[:_LONGEST]))))


def career_type_in_title(title: str, words: FoldedText) -> str | None:
    """The terms that a title names as the role's own: an intern's, not those of an internship coordinator."""
    hits = _TERMS.hits(words)
    if not hits:
        return None
    found = [code for code in _TIME_IN_TITLES if code in hits]
    if not _IN_TITLES.isdisjoint(hits):
        found += [code for code in (_role_terms(phrase) for phrase in phrases_of(title)) if code]
    if "consultancy" in hits and (_CONSULTANCIES.hits(words) or _starts_apart(title)):
        found.append("consultancy")
    return _joined([code for code in _TERMS.codes if code in found])


def _joined(codes: list[str]) -> str | None:
    if not _FORMS.isdisjoint(codes):
        codes = [code for code in codes if code != "contract"]
    return ", ".join(codes) or None


def _role_terms(phrase: Phrase) -> str | None:
    """The terms in a phrase's first word or noun, unless the noun is a person who supervises such people."""
    if phrase.head in _LOOKS_AFTER:
        return None
    # In front, "stage" is where a stage technician works; as the noun it is an internship.
    first = "" if phrase.first == "stage" else phrase.first
    ends = words_of(f"{first} {phrase.head}")
    return next((code for code in _TERMS.hits(ends) if code in _IN_TITLES), None)


def _starts_apart(title: str) -> bool:
    """Whether it is "Consultant - evaluation of …", a contract, and not "Consultant psychiatrist", a profession."""
    first = phrases_of(title)[0]
    return len(first.words) == 1 and first.head in words_in("consultant consultante consultor consultora")


def modality_in(words: FoldedText) -> str | None:
    """The modality in a text."""
    return _MODALITIES.first(words)


@lru_cache(_REMEMBERED)
def read_modality(text: str) -> str | None:
    """The modality in a field about it, or in a place; cached, because the same texts recur."""
    return modality_in(words_of(text))
