"""Is this page something else instead of content? A page may come with status 200 and yet be a wall.

Precision comes first: a wall that is taken for a page costs one poor record, a page that is taken for a wall is lost.
So words alone never decide; there must also be next to nothing else to read.
"""

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import chain

from turbohtml import Element

from lamplighter.extract.elements import own_text
from lamplighter.extract.html_page import HtmlPage, folded
from lamplighter.extract.single.labels import labelled_values
from lamplighter.extract.single.main_text import prose_length
from lamplighter.extract.single.text_lines import TextLine, lines_of
from lamplighter.extract.words.field_words import bare, word_pattern

CHALLENGE = word_pattern(
    r"^(?:just a moment|one moment please|please wait|attention required|access denied|security check"
    r"|pardon our interruption)\b|^(?:un momento|einen moment|un instant|um momento|even geduld|einen augenblick"
    r"|proszę czekać|bir dakika)(?: bitte)?$|checking (?:your|the) browser|(?:are you|not) a robot|(?:verify|confirm"
    r"|prove|verifying) (?:that )?you(?: are|re) (?:a )?human|human verification|bot (?:verification|detection"
    r"|protection)|verification required|ddos (?:protection|guard)|you have been blocked|access to this (?:page|site"
    r"|website) (?:has been|is) (?:denied|blocked)|request (?:unsuccessful|blocked|rejected)|unusual traffic"
    r"|suspicious activity|complete the (?:captcha|security check)|captcha|enable cookies to continue"
    r"|the requested url was rejected|one more step|your request has been blocked|security verification"
    r"|sorry you have been blocked|sicherheitsuberprufung|zugriff verweigert|zugriff wurde verweigert"
    r"|bist du ein mensch|kein roboter|acces refuse|verification de securite|pas un robot|acceso denegado"
    r"|no soy un robot|verificacion de seguridad|acesso negado|nao sou um robo|accesso negato|non sono un robot"
    r"|toegang geweigerd|geen robot|odmowa dostepu|nie jestem robotem|atkomst nekad|ingen tilgang|adgang naegtet"
    r"|paasy estetty|pristup odepren|доступ запрещен|доступ ограничен|доступ заборонено|не робот|проверка браузера"
    r"|erisim engellendi|robot degil|تم رفض الوصول|لست روبوت|访问被拒绝|安全验证|人机验证|滑动验证|验证码"
    r"|アクセスが拒否|ロボットでは|접근이 거부|로봇이 아닙니다|보안 확인"
)
NOT_FOUND = word_pattern(
    r"^(?:error |http |fehler |erreur |erro |errore |oops )*(?:404|410)(?: error| fehler| erreur)?$"
    r"|404 (?:page )?not found|^not found$|(?:page|site|url|document|resource|job|vacancy|position|article|product"
    r"|content|listing)s?(?: you \w+ \w+(?: for)?)? (?:was |is |could )?(?:not (?:be )?found|no longer (?:available"
    r"|exists?)|does ?n[o ]*t exist|can(?:not| not| t) be found|not available)|(?:can t|cannot|can not|couldn t"
    r"|could not) (?:find|locate) (?:that|the|this|what) "
    r"|page (?:has been )?(?:removed|deleted|moved)|seite (?:wurde )?(?:leider )?nicht gefunden|nicht gefunden$"
    r"|seite existiert nicht|nicht mehr verfugbar|page (?:non trouvee|introuvable|inexistante)|n existe (?:pas|plus)"
    r"|n est plus disponible|pagina no (?:encontrada|existe|disponible)|no se (?:ha )?encontro|no encontrado"
    r"|ya no (?:esta disponible|existe)|pagina nao (?:encontrada|existe)|nao encontrad[ao]|pagina non (?:trovata"
    r"|esiste)|non trovat[ao]|pagina niet gevonden|niet gevonden|bestaat niet|strona nie (?:zostala znaleziona"
    r"|istnieje)|nie znaleziono|sidan (?:hittades inte|kunde inte hittas|finns inte)|hittades inte|fant ikke siden"
    r"|siden (?:ble ikke funnet|finnes ikke)|siden (?:blev ikke fundet|findes ikke|kunne ikke findes)"
    r"|sivua ei loytyn?y?t?|ei loydy|stranka (?:nenalezena|nebyla nalezena|neexistuje)|nenalezen|страница не (?:найдена"
    r"|существует)|не найден[ао]?|сторінку не знайдено|не знайдено|sayfa bulunamad|bulunamadi|الصفحة غير موجودة"
    r"|غير موجود|页面不存在|找不到(?:页面|网页|頁面)|未找到|頁面不存在|ページが見つかりません|見つかりませんでした"
    r"|페이지를 찾을 수 없|존재하지 않는"
)
ERROR = word_pattern(
    r"^(?:error |http |fehler )*(?:50[0234]|429|403)(?: error| forbidden)?$|(?:50[0234] )(?:internal|bad|service"
    r"|gateway|server|temporarily)|internal server error|^server error|bad gateway|gateway time ?out"
    r"|service (?:temporarily )?unavailable|temporarily unavailable|(?:we ll|we will|we re|be) (?:be )?(?:right"
    r"|back) (?:back|soon|shortly)|(?:under|down for|currently in|undergoing) maintenance|^(?:site|scheduled"
    r"|website) maintenance$|maintenance mode|^maintenance$|something went wrong|application error"
    r"|database (?:connection )?error|error establishing a database|an error (?:has )?occurr?ed|unexpected error"
    r"|site is (?:down|offline)|too many requests|^403 forbidden|^forbidden$|wartungsarbeiten|wartungsmodus|in wartung"
    r"|interner serverfehler|dienst nicht verfugbar|en maintenance|maintenance en cours|erreur interne"
    r"|service indisponible|en mantenimiento|error interno|servicio no disponible|em manutencao|erro interno"
    r"|in manutenzione|errore interno|in onderhoud|przerwa techniczna|blad serwera|under underhall|^vedlikehold"
    r"|huoltokatko|^udrzba|технические работы|ошибка сервера|сервис недоступен|технічні роботи|bakimda|^bakim$"
    r"|sunucu hatasi|الصيانة|خطأ في الخادم|维护中|服务器错误|系统维护|メンテナンス|サーバーエラー|점검 중|서버 오류"
)
PARKED = word_pattern(
    r"domain (?:name )?(?:is |may be )?(?:for sale|parked)|this domain (?:is|has|may|was)\b.*\b(?:sale|expired"
    r"|registered|parked)|buy this domain|parked (?:domain|free)|domain (?:has )?expired|website coming soon"
    r"|^coming soon$|default web ?(?:site )?page|^welcome to nginx|apache2? (?:\w+ )?default page|^it works$"
    r"|iis windows server|future home of|domain steht zum verkauf|domain zu verkaufen|domaine est a vendre"
    r"|dominio (?:esta )?en venta|dominio (?:a|em) venda|dominio in vendita|домен продается|域名出售|此域名"
)
LOGIN = word_pattern(
    r"\b(?:log ?in|sign ?in|log ?on|sign on|authentication|authenticate|member area|password|anmelden|anmeldung"
    r"|einloggen|kennwort|passwort|connexion|se connecter|identification|mot de passe|iniciar sesion|inicia sesion"
    r"|acceder|contrasena|iniciar sessao|entrar|senha|accedi|accesso|inloggen|aanmelden|wachtwoord|zaloguj|logowanie"
    r"|haslo|logga in|inloggning|logg inn|innlogging|log ind|kirjaudu|prihlas\w*|войти|вход|авторизация|пароль|увійти"
    r"|вхід|giris|oturum|sifre)\b|تسجيل الدخول|登录|登錄|登入|ログイン|로그인"
)
CONSENT = word_pattern(
    r"before you continue|(?:we|your) (?:value|respect|privacy|care about)\b.*\b(?:privacy|choices|matters)"
    r"|cookie (?:consent|settings|preferences|wall)|(?:accept|agree|consent) (?:to )?(?:our |the |all )?cookies"
    r"|manage (?:your )?consent|privacy (?:settings|choices)|^cookies?$|bevor (?:sie|du) fortf\w+"
    r"|cookie einstellungen|zustimmung|avant de continuer|gestion des cookies|consentement|antes de continuar"
    r"|configuracion de cookies|prima di continuare|voordat je verdergaat|toestemming|zgoda na cookies"
)
AGE = word_pattern(
    r"(?:are you|confirm you are|verify (?:that )?you are|must be) (?:over|at least|of legal|\d\d)|age (?:verification"
    r"|gate|check)|bist du (?:uber )?\d\d|altersprufung|verification de l age|verificacion de edad"
)
SCRIPT = word_pattern(
    r"(?:enable|activate|turn on|requires?|need|without|allow) java ?script"
    r"|java ?script (?:is )?(?:required|disabled|enabled|must|to run|and cookies)"
    r"|java ?script (?:aktivieren|ist deaktiviert|wird benotigt)|aktivieren sie java ?script|activer java ?script"
    r"|java ?script (?:est|doit)|activar? java ?script|habilit\w+ (?:o )?java ?script|abilita\w* java ?script"
    r"|java ?script (?:in te )?schakel\w*|schakel java ?script|wlacz java ?script|включите java ?script"
    r"|увімкніть java ?script|java ?script i etkinlestir|启用 ?java ?script|javascript ?を有効|자바스크립트"
)
#: beginnings of error dumps of failing programs
DUMP = re.compile(
    r"(?:Fatal error|Parse error|Warning|Notice|Deprecated) ?:.{0,200}\bon line \d+"
    r"|Traceback \(most recent call last\)|SQLSTATE\[|You have an error in your SQL syntax"
    r"|Uncaught (?:\w+)?(?:Error|Exception)|\bat [\w.$]+\([\w.]+\.java:\d+\)|Server Error in '[^']*' Application"
    r"|System\.\w+Exception|ORA-\d{5}|mysqli?_(?:connect|query)|Whoops, looks like something went wrong"
    r"|undefined method .{0,80} for nil|goroutine \d+ \[running\]",
    re.DOTALL,
)


class PageObstacle(StrEnum):
    """What the page is instead of content, as the run's message names it."""

    CHALLENGE = "a bot challenge"
    LOGIN = "a login page"
    NOT_FOUND = "a page-not-found page"
    ERROR = "an error page"
    PARKED = "a parked domain"
    CONSENT = "a consent page"
    SCRIPT = "needs JavaScript"


#: characters of the title and of each heading that are read
_LONGEST_NAME = 120
_MOST_HEADINGS, _MOST_PARTS = 3, 4
_BETWEEN = re.compile(r"\s*\|\s*|\s+[-\u2013\u2014\u00b7]\s+|:\s+")
#: more running text, or more links in the content, than this is content, whatever the heading says
_MUCH_PROSE = 900
_MANY_LINKED = 12
#: so are labelled values: "Head of Site Maintenance" is a post, if it has a place and a deadline
_FACTS = 2
_LITTLE_TEXT, _NEXT_TO_NOTHING = 600, 150
#: with fewer links than this a page may be a wall that its title does not show
_FEW_ANCHORS = 12
_MOST_TEXTS = 400
_ROOTS = "#root, #app, #__next, #__nuxt, #___gatsby, app-root, [ng-app], [data-reactroot], [id$=-root], [id$=-app]"
_FIELDS = "input[type=text], input[type=email], input[type=search], input:not([type]), textarea, select"
_CAPTCHAS = (
    "[class*=captcha i], [id*=captcha i], iframe[src*=captcha i], iframe[src*=challenge i], form[id*=challenge i]"
)

#: patterns of titles and headings, the most reliable first
_BY_NAME: tuple[tuple[re.Pattern[str], PageObstacle], ...] = (
    (NOT_FOUND, PageObstacle.NOT_FOUND),
    (CHALLENGE, PageObstacle.CHALLENGE),
    (ERROR, PageObstacle.ERROR),
    (PARKED, PageObstacle.PARKED),
    (CONSENT, PageObstacle.CONSENT),
    (AGE, PageObstacle.CONSENT),
)


def obstacle(page: HtmlPage) -> str | None:
    """What the page is instead of content; None when it may be content."""
    names = _names(page)
    suspected = next((found for pattern, found in _BY_NAME if any(pattern.search(name) for name in names)), None)
    asks_password = page.tree.select_one("input[type=password]") is not None
    if suspected is None and not asks_password and len(page.anchors) >= _FEW_ANCHORS:
        return None
    lines = lines_of(page)
    if prose_length(lines) > _MUCH_PROSE or sum(line.linked > 0 for line in lines if line.in_content) > _MANY_LINKED:
        return None
    if len(labelled_values(lines)) >= _FACTS:
        return None
    if suspected is not None:
        return suspected
    if asks_password:
        return PageObstacle.LOGIN if _is_login(page, names, lines) else None
    return _unnamed(page, lines)


def _names(page: HtmlPage) -> list[str]:
    """The names of the page: its title and its parts, and its first headings."""
    headings = [folded(node.text) for node in page.tree.find_all("h1")[:_MOST_HEADINGS]]
    if not headings:
        headings = [folded(node.text) for node in page.tree.find_all("h2")[:1]]
    title = page.title or ""
    texts = dict.fromkeys((title, *_BETWEEN.split(title)[:_MOST_PARTS], *headings))
    return list(dict.fromkeys(bare(text[:_LONGEST_NAME]) for text in texts if text))


def _is_login(page: HtmlPage, names: Sequence[str], lines: Sequence[TextLine]) -> bool:
    """Is the form all there is? Many pages have a small one in a corner."""
    shown = sum(len(line.text) for line in lines if line.in_content)
    if any(LOGIN.search(name) for name in names):
        return shown < _LITTLE_TEXT
    # A page may have all of its text in elements whose names say comments, or in a form.
    return shown < _NEXT_TO_NOTHING and sum(len(own_text(node).strip()) for node in _texts(page)) < _MUCH_PROSE


def _texts(page: HtmlPage) -> Iterator[Element]:
    return chain.from_iterable(page.tree.find_all(tag)[:_MOST_TEXTS] for tag in ("p", "td", "dd", "div", "blockquote"))


def _unnamed(page: HtmlPage, lines: Sequence[TextLine]) -> PageObstacle | None:
    """The obstacle of a page with few links whose title does not show it."""
    text = "\n".join(line.text for line in lines)[: 2 * _LITTLE_TEXT]
    if DUMP.search(text):
        return PageObstacle.ERROR
    if len(text) > _LITTLE_TEXT:
        return None
    tree = page.tree
    # A frame may contain the challenge, and its text is shown only where frames are not supported.
    plain = bare(
        text or folded(" ".join(node.text for node in tree.find_all("iframe")[:_MOST_HEADINGS]))[:_LITTLE_TEXT]
    )
    is_captcha = tree.select_one(_CAPTCHAS) is not None or len(text) < _NEXT_TO_NOTHING * 2
    if is_captcha and CHALLENGE.search(plain) and tree.select_one(_FIELDS) is None:
        return PageObstacle.CHALLENGE
    if PARKED.search(plain):
        return PageObstacle.PARKED
    return PageObstacle.SCRIPT if len(text) < _NEXT_TO_NOTHING and _waits_for_scripts(page, plain) else None


def _waits_for_scripts(page: HtmlPage, plain: str) -> bool:
    """Is there next to nothing but scripts, and an element for them to fill?"""
    tree = page.tree
    if tree.find("script") is None:
        return False
    hints = (plain, *(bare(folded(node.text)[:_LITTLE_TEXT]) for node in tree.find_all("noscript")[:_MOST_HEADINGS]))
    if not plain or any(SCRIPT.search(hint) for hint in hints):
        return True
    root = tree.select_one(_ROOTS)
    return root is not None and not folded(root.text)
