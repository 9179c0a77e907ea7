"""Phrases of pages that come instead of content, in many languages and without punctuation."""

import re

from lamplighter.extract.words.word_patterns import word_pattern

CHALLENGE = word_pattern(
    r"^(?:just a moment|one moment please|please wait|attention required|access denied|security check"
    r"|pardon our interruption)\b"
    r"|^(?:un momento|einen moment|un instant|um momento|even geduld|einen augenblick|proszę czekać"
    r"|bir dakika)(?: bitte)?$"
    r"|checking (?:your|the) browser|(?:are you|not) a robot"
    r"|(?:verify|confirm|prove|verifying) (?:that )?you(?: are|re) (?:a )?human|human verification"
    r"|bot (?:verification|detection|protection)|verification required|ddos (?:protection|guard)"
    r"|you have been blocked|access to this (?:page|site|website) (?:has been|is) (?:denied|blocked)"
    r"|request (?:unsuccessful|blocked|rejected)|unusual traffic|suspicious activity"
    r"|complete the (?:captcha|security check)|captcha|enable cookies to continue|the requested url was rejected"
    r"|one more step|your request has been blocked|security verification|sorry you have been blocked"
    r"|sicherheitsuberprufung|zugriff verweigert|zugriff wurde verweigert|bist du ein mensch|kein roboter"
    r"|acces refuse|verification de securite|pas un robot|acceso denegado|no soy un robot"
    r"|verificacion de seguridad|acesso negado|nao sou um robo|accesso negato|non sono un robot|toegang geweigerd"
    r"|geen robot|odmowa dostepu|nie jestem robotem|atkomst nekad|ingen tilgang|adgang naegtet|paasy estetty"
    r"|pristup odepren|доступ запрещен|доступ ограничен|доступ заборонено|не робот|проверка браузера"
    r"|erisim engellendi|robot degil|تم رفض الوصول|لست روبوت|访问被拒绝|安全验证|人机验证|滑动验证|验证码"
    r"|アクセスが拒否|ロボットでは|접근이 거부|로봇이 아닙니다|보안 확인"
)
NOT_FOUND = word_pattern(
    r"^(?:error |http |fehler |erreur |erro |errore |oops )*(?:404|410)(?: error| fehler| erreur)?$"
    r"|404 (?:page )?not found|^not found$"
    r"|(?:page|site|url|document|resource|job|vacancy|position|article|product|content"
    r"|listing)s?(?: you \w+ \w+(?: for)?)? (?:was |is |could )?(?:not (?:be )?found"
    r"|no longer (?:available|exists?)|does ?n[o ]*t exist|can(?:not| not| t) be found|not available)"
    r"|(?:can t|cannot|can not|couldn t|could not) (?:find|locate) (?:that|the|this|what) "
    r"|nothing (?:was )?found here|nothing here$|page (?:has been )?(?:removed|deleted|moved)"
    r"|seite (?:wurde )?(?:leider )?nicht gefunden|nicht gefunden$|seite existiert nicht|nicht mehr verfugbar"
    r"|page (?:non trouvee|introuvable|inexistante)|n existe (?:pas|plus)|n est plus disponible"
    r"|pagina no (?:encontrada|existe|disponible)|no se (?:ha )?encontro|no encontrado"
    r"|ya no (?:esta disponible|existe)|pagina nao (?:encontrada|existe)|nao encontrad[ao]"
    r"|pagina non (?:trovata|esiste)|non trovat[ao]|pagina niet gevonden|niet gevonden|bestaat niet"
    r"|strona nie (?:zostala znaleziona|istnieje)|nie znaleziono"
    r"|sidan (?:hittades inte|kunde inte hittas|finns inte)|hittades inte|fant ikke siden"
    r"|siden (?:ble ikke funnet|finnes ikke)|siden (?:blev ikke fundet|findes ikke|kunne ikke findes)"
    r"|sivua ei loytyn?y?t?|ei loydy|stranka (?:nenalezena|nebyla nalezena|neexistuje)|nenalezen"
    r"|страница не (?:найдена|существует)|не найден[ао]?|сторінку не знайдено|не знайдено|sayfa bulunamad"
    r"|bulunamadi|الصفحة غير موجودة|غير موجود|页面不存在|找不到(?:页面|网页|頁面)|未找到|頁面不存在"
    r"|ページが見つかりません|見つかりませんでした|페이지를 찾을 수 없|존재하지 않는"
)
ERROR = word_pattern(
    r"^(?:error |http |fehler )*(?:50[0234]|429|403)(?: error| forbidden)?$"
    r"|(?:50[0234] )(?:internal|bad|service|gateway|server|temporarily)|internal server error|^server error"
    r"|bad gateway|gateway time ?out|service (?:temporarily )?unavailable|temporarily unavailable"
    r"|(?:we ll|we will|we re|be) (?:be )?(?:right|back) (?:back|soon|shortly)"
    r"|(?:under|down for|currently in|undergoing) maintenance|^(?:site|scheduled|website) maintenance$"
    r"|maintenance mode|^maintenance$|something went wrong"
    r"|application error|database (?:connection )?error|error establishing a database|an error (?:has )?occurr?ed"
    r"|unexpected error|site is (?:down|offline)|too many requests|^403 forbidden|^forbidden$|wartungsarbeiten"
    r"|wartungsmodus|in wartung|interner serverfehler|dienst nicht verfugbar|en maintenance|maintenance en cours"
    r"|erreur interne|service indisponible|en mantenimiento|error interno|servicio no disponible|em manutencao"
    r"|erro interno|in manutenzione|errore interno|in onderhoud|przerwa techniczna|blad serwera"
    r"|under underhall|^vedlikehold|huoltokatko|^udrzba|технические работы|ошибка сервера|сервис недоступен"
    r"|технічні роботи|bakimda|^bakim$|sunucu hatasi|الصيانة|خطأ في الخادم|维护中|服务器错误|系统维护|メンテナンス"
    r"|サーバーエラー|점검 중|서버 오류"
)
PARKED = word_pattern(
    r"domain (?:name )?(?:is |may be )?(?:for sale|parked)"
    r"|this domain (?:is|has|may|was)\b.*\b(?:sale|expired|registered|parked)|buy this domain"
    r"|parked (?:domain|free)|domain (?:has )?expired|website coming soon|^coming soon$"
    r"|default web ?(?:site )?page|^welcome to nginx|apache2? (?:\w+ )?default page|^it works$|iis windows server"
    r"|future home of|domain steht zum verkauf|domain zu verkaufen|domaine est a vendre|dominio (?:esta )?en venta"
    r"|dominio (?:a|em) venda|dominio in vendita|домен продается|域名出售|此域名"
)
LOGIN = word_pattern(
    r"\b(?:log ?in|sign ?in|log ?on|sign on|authentication|authenticate|member area|password|anmelden"
    r"|anmeldung|einloggen|kennwort|passwort|connexion|se connecter|identification|mot de passe"
    r"|iniciar sesion|inicia sesion|acceder|contrasena|iniciar sessao|entrar|senha|accedi|accesso"
    r"|inloggen|aanmelden|wachtwoord|zaloguj|logowanie|haslo|logga in|inloggning|logg inn|innlogging"
    r"|log ind|kirjaudu|prihlas\w*|войти|вход|авторизация|пароль|увійти|вхід|giris|oturum|sifre)\b"
    r"|تسجيل الدخول|登录|登錄|登入|ログイン|로그인"
)
CONSENT = word_pattern(
    r"before you continue|(?:we|your) (?:value|respect|privacy|care about)\b.*\b(?:privacy|choices|matters)"
    r"|cookie (?:consent|settings|preferences|wall)|(?:accept|agree|consent) (?:to )?(?:our |the |all )?cookies"
    r"|manage (?:your )?consent|privacy (?:settings|choices)|^cookies?$|bevor (?:sie|du) fortf\w+"
    r"|cookie einstellungen|zustimmung|avant de continuer|gestion des cookies|consentement|antes de continuar"
    r"|configuracion de cookies|prima di continuare|voordat je verdergaat|toestemming|zgoda na cookies"
)
AGE = word_pattern(
    r"(?:are you|confirm you are|verify (?:that )?you are|must be) (?:over|at least|of legal|\d\d)"
    r"|age (?:verification|gate|check)|bist du (?:uber )?\d\d|altersprufung|verification de l age"
    r"|verificacion de edad"
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
