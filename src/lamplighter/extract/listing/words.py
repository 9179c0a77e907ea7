"""Words that distinguish the parts of a page, in many languages: data for the search for listings."""

import re

from lamplighter.extract.words.field_words import word_pattern

#: class and id names of the frame of a page, in lower case
FRAME_CLASS = re.compile(
    r"(?:^|[\s_-])(?:breadcrumbs?|footer|site-?header|page-?header|topbar|sidebar|pagination|pager|page-?numbers|social"
    r"|share|sharing|cookies?|consent|skip-?links?|tag-?cloud|tags|facets?|refine|language-?(?:switcher|selector)"
    r"|lang-?switch(?:er)?|comments?|comment-?list|related|recommend(?:ed|ations?)?|similar|you-?may-?also"
    r"|most-?(?:read|popular)|trending|newsletter|masthead|colophon|toc|also-?like|archives?-?list|widget-area|blogroll"
    r"|login|modal|popup|toolbar)(?:$|[\s_-])"
)
MENU_CLASS = re.compile(r"(?:^|[\s_-])(?:nav|navbar|navigation|menu|submenu|megamenu|dropdown)(?:$|[\s_-])")

#: texts of links and marks in a row that are never its title
ACTIONS = """
    read more, more, continue reading, read on, learn more, find out more, see more, view more, view, view details,
    details, see details, view job, view job details, view vacancy, see job, job details, apply, apply now, apply here,
    apply online, apply for this job, quick apply, easy apply, save, save job, saved, bookmark, share, open, download,
    pdf, download pdf, click here, here, link, more info, more information, info, full story, full article,
    read article, read the full story, view all, see all, all jobs, all news, all vacancies, view all jobs,
    see all jobs, add to cart, add to basket, buy, buy now, add to wishlist, compare, quick view, select options,
    choose options, wishlist, shop now, reply, edit, delete, print, email, send, back, next, previous, top, register,
    sign up, sign in, login, log in, subscribe, follow, like, comments, comment, no comments, leave a comment,
    0 comments, discuss, flag, hide, report, preview, website, visit website, visit, show, show more, load more, expand,
    toggle, select, go, new, featured, hot, urgent, closing soon, live, exclusive, breaking, video, audio, gallery,
    podcast, premium, external link, opens in new window, opens in a new window, opens in new tab, sponsored, promoted,
    ad, advertisement, remove, favourite, favorite, add to favorites, add to favourites, view product,
    details and apply, view and apply, see offer, sold out, sale, expired, closed, open link, permalink, source,
    notify me, get alerts, set alert, refer a friend, full time
    mehr, mehr lesen, weiterlesen, mehr erfahren, details, zum artikel, ansehen, anzeigen, bewerben, jetzt bewerben,
    zur stelle, zum angebot, merken, teilen, in den warenkorb, zum produkt, alle anzeigen, mehr infos,
    mehr informationen, hier, drucken, neu, herunterladen, stelle ansehen, online bewerben, zur stellenanzeige,
    zur ausschreibung, weiter, mehr details, zum job, job ansehen, alle stellen, lesen
    lire la suite, lire plus, en savoir plus, voir, voir plus, voir l offre, voir l annonce, consulter, postuler,
    details, plus, suite, ajouter au panier, telecharger, partager, plus d infos, plus d informations, decouvrir,
    nouveau, voir le detail, consulter l offre, voir tout, lire l article, acheter, voir le produit, en detail,
    voir les details, je postule
    leer mas, ver mas, mas informacion, mas, ver, ver oferta, ver detalles, postular, aplicar, inscribirse, solicitar,
    seguir leyendo, detalles, descargar, compartir, anadir al carrito, comprar, nuevo, ver detalle, ver vacante,
    consultar, ver todo, mas info, agregar al carrito
    ler mais, leia mais, saiba mais, ver mais, ver vaga, candidatar se, candidate se, detalhes, ver detalhes,
    continuar lendo, baixar, novo, adicionar ao carrinho, inscreva se, veja mais, ver tudo
    leggi, leggi tutto, leggi di piu, continua, continua a leggere, scopri di piu, vedi, dettagli, candidati,
    invia candidatura, scarica, aggiungi al carrello, acquista, nuovo, vai, approfondisci, vedi tutti, scopri
    lees meer, lees verder, meer, meer informatie, bekijk, bekijk vacature, solliciteer, solliciteer direct, details,
    in winkelwagen, nieuw, meer info, naar vacature, bekijk details, alle vacatures, verder lezen
    czytaj, czytaj dalej, czytaj wiecej, wiecej, zobacz, aplikuj, szczegoly, pobierz, do koszyka, dodaj do koszyka,
    nowe, nowosc, zobacz wiecej, zobacz oferte, aplikuj teraz, zobacz szczegoly
    las mer, las hela, mer, visa, ansok, ansok nu, mer info, kop, lagg i varukorg, ny, visa annons, till annonsen
    les mer, se mer, vis, sok, sok na, sok her, legg i handlekurv, les hele saken, kjop, se stilling, se annonse
    laes mere, se mere, ansog, sog stillingen, laeg i kurv, kob, se job, vis mere, se stillingen
    lue lisaa, katso, hae, hae paikkaa, lisaa, lisaa ostoskoriin, nayta, lue koko juttu, uusi, katso lisaa
    vice, cist dale, zobrazit, detail, odpovedet, do kosiku, koupit, stahnout, novinka, vice informaci, zobrazit detail,
    cely clanek
    подробнее, читать далее, далее, читать, откликнуться, подать заявку, смотреть, в корзину, купить, скачать, новое,
    еще, показать, перейти, читать полностью, подробности, все вакансии
    докладніше, детальніше, читати далі, відгукнутися, купити, завантажити, більше, дивитися, переглянути, читати
    devami, devamini oku, detay, detaylar, basvur, hemen basvur, incele, sepete ekle, indir, yeni, daha fazla,
    detayli bilgi, goruntule
    المزيد, اقرأ المزيد, تفاصيل, التفاصيل, قدم الآن, تقديم, عرض, عرض التفاصيل, تحميل, جديد, اقرا المزيد, أضف إلى السلة
    更多, 详情, 查看, 查看详情, 申请, 立即申请, 阅读更多, 阅读全文, 下载, 加入购物车, 购买, 新, 了解更多, 查看更多,
    続きを読む, 詳細, 詳細を見る, 詳しく見る, もっと見る, 応募する, 応募, カートに入れる, 新着, 詳しくはこちら, こちら,
    더보기, 자세히, 자세히 보기, 지원하기, 상세보기, 다운로드, 장바구니, 새글, 보기, 더 보기
"""
#: a verb and its object, whatever that is called: "Download the terms of reference"
ASKS = re.compile(
    r"(?:(?:read|find out|learn|see|view|show|discover)(?: more)?|download|apply|click|open|get|continue(?: reading)?"
    r"|lesen sie|mehr|zur|zum|herunterladen|download der|lire|voir|consulter|telecharger|en savoir plus|postuler|leer"
    r"|ver|descargar|consultar|postular|ler|baixar|leggi|scarica|vedi|lees|bekijk|pobierz|zobacz|las|ladda ner|les"
    r"|last ned|laes|hent|lue|lataa|stahnout|zobrazit) (?:more|the|this|full|our|here|now|online|details?|info\w*|for"
    r"|and|on|about|tor|pdf|pack|form|job|vacancy|position|role|post|posting|article|story|advert\w*|description"
    r"|announcement|notice|terms|document|uber|die|den|das|stellen\w*|ausschreibung|anzeige|artikel|beitrag|la|le|les|l"
    r"|cette|sur|offre|fiche|annonce|article|el|los|las|esta|mas|oferta|convocatoria|bases|o|a|os|as|mais|edital|vaga"
    r"|il|lo|di|bando|annuncio|de|het|deze|meer|vacature|wiecej|szczegoly|ogloszenie|oferte|mer|mere|om|annonsen|lisaa"
    r"|koko|vice|detail)(?: .*)?"
)
#: those of them that lead to a form, not to a text
APPLIES = word_pattern(
    r"\b(?:apply|appl(?:y|ication) (?:now|here|online|form)|bewerb\w*|postule[rz]?|je postule|candidater|candidature"
    r"|postular\w*|aplicar|inscribi\w*|solicitar|candidat(?:ar|e|ura|i|arse|ar se)|inscrev\w*|invia candidatura"
    r"|sollicite\w*|aplikuj\w*|ansok\w*|sok(?: na| her| stillingen)?|ansog\w*|sog stillingen|hae(?: paikkaa)?|odpovedet"
    r"|откликнуться|подать заявку|відгукнутися|basvur\w*)\b|قدم|تقديم|申请|应聘|応募|エントリー|지원하기|지원서"
)
#: beginnings of headings over blocks that are not what the page is about
RELATED = word_pattern(
    r"^(?:more|other|further|weitere|andere|autres?|plus d|otr[oa]s|mas|outr[oa]s|altr[ei]|meer|inne|wiecej|andra|fler"
    r"|flere|muut|dalsi|другие|еще|інші|diger)\b|\b(?:related|similar|recommend(?:ed|ations?)|you (?:may|might)"
    r"|also (?:like|viewed|bought|read|of interest)|more (?:from|like|on this|in this|stories|articles)|most (?:read"
    r"|popular|viewed)|popular|trending|read next|up next|see also|other (?:jobs|vacancies|articles|news|products"
    r"|positions|stories|posts)|keep reading|recent (?:posts|articles|comments)|recently viewed|people also"
    r"|customers (?:who|also)|don't miss|next article|previous article|further reading|quick links|ahnliche|verwandte"
    r"|das konnte|auch interessant|weitere (?:artikel|stellen|angebote|beitrage|meldungen|themen|produkte)"
    r"|mehr zum thema|meistgelesen|empfohlen|kunden|similaires|associes|a lire aussi|vous aimerez|recommande"
    r"|sur le meme sujet|lire aussi|voir aussi|autres (?:offres|articles|actualites|produits)|les plus lus"
    r"|relacionad[oa]s|similares|tambien|te puede interesar|lo mas leido|otras (?:ofertas|noticias|vacantes)"
    r"|otros (?:articulos|productos)|mas (?:leidas|noticias de)|voce (?:tambem|pode)|veja tambem|leia tambem|mais lidas"
    r"|outras vagas|correlati|simili|potrebbe interessarti|leggi anche|ti potrebbe|altri articoli|piu letti|gerelateerd"
    r"|vergelijkbare|meer over|lees ook|andere vacatures|ook interessant|podobne|powiazane|zobacz tez|zobacz takze"
    r"|czytaj takze|polecane|liknande|relaterade?|las ocksa|lignende|les ogsa|laes ogsa|relatert|se ogsa|samankaltais"
    r"|lue myos|katso myos|podobne|souvisejici|mohlo by|похожие|читайте также|рекомендуем|по теме|смотрите также"
    r"|другие вакансии|популярн|схожі|читайте також|інші вакансії|benzer|ilgili|ilginizi)|相关|推荐|猜你喜欢|関連"
    r"|おすすめ|人気|관련|추천|ذات صلة|مشابهة|قد يعجبك"
)

#: words of headings, titles and addresses that announce many things of one kind
JOB_WORDS = word_pattern(
    r"\b(?:jobs?|vacanc(?:y|ies)|careers?|openings?|positions?|recruit(?:ment|ing)|employment|internships?"
    r"|consultanc(?:y|ies)|hiring|work with us|join us|opportunit(?:y|ies)|job-?openings?|jobboard|stellen\w*|karriere"
    r"|jobangebote|ausschreibung(?:en)?|emplois?|offres?-d-emploi|offres? d emploi|recrutement|carrieres?|postes?"
    r"|empleos?|ofertas?-de-(?:empleo|trabajo)|ofertas? de (?:empleo|trabajo)|vacantes?|trabajo|convocatorias?|vagas?"
    r"|empregos?|carreiras?|oportunidades?|lavoro|posizioni|offerte-di-lavoro|carriere|bandi|vacatures?|werken-bij"
    r"|werken bij|praca|oferty-pracy|oferty pracy|kariera|lediga-jobb|lediga jobb|lediga|jobb|stillinger?|ledige"
    r"|stilling|tyopaikat|avoimet|rekry|prace|kariera|volna-mista|volna mista|nabidka-prace|vakansii?|вакансии|вакансія"
    r"|вакансії|работа|карьера|робота|kariyer|is-ilanlari|is ilanlari|ilanlar|(?:join|work (?:at|for|with))[ -](?:us"
    r"|our[ -]team)|working[ -](?:at|for|with)[ -]\w+|come[ -]work|arbeiten[ -]bei|jobs?[ -]und[ -]karriere|mitarbeiten"
    r"|nous[ -]rejoindre|rejoi(?:ndre|gnez)[ -]\w+|travailler[ -](?:avec|chez)[ -]\w+|nous[ -]recrutons"
    r"|offres[ -]a[ -]pourvoir|trabaja[ -](?:con|en)[ -]\w+|unete[ -]a[ -]\w+|bolsa[ -]de[ -](?:trabajo|empleo)"
    r"|trabalh[ea][ -](?:com)?nosco|trabalhe[ -](?:conosco|connosco)|venha[ -]trabalhar|junte[ -]se"
    r"|lavora[ -]con[ -]noi|concorsi|kom[ -]werken|werk[ -]bij|pracuj[ -](?:z[ -]nami|u[ -]nas)|dolacz[ -]do[ -]\w+"
    r"|(?:jobba|arbeta)[ -](?:hos|med|pa)[ -]\w+|jobbe?[ -]hos[ -]oss|job[ -]hos[ -]os|toihin[ -]meille"
    r"|pracujte[ -](?:u|s)[ -]nas?|pridej[ -]se|работа[ -]у[ -]нас|bize[ -]katil\w*|acik[ -]pozisyonlar)\b|وظائف|وظيفة"
    r"|انضم إلى|الشواغر|职位|招聘|岗位|加入我们|求人|採用|募集|公募|채용|구인|모집"
)
NEWS_WORDS = word_pattern(
    r"\b(?:news|blogs?|articles?|press|posts?|stor(?:y|ies)|press-?releases?|magazine|insights|updates|publications?"
    r"|announcements?|opinion|politics|sports?|world|business|culture|nachrichten|aktuelles|meldungen|presse|artikel"
    r"|neuigkeiten|beitrage|actualites?|nouvelles|communiques?|noticias?|actualidad|novedades|prensa|noticia|notizie"
    r"|novita|comunicati|attualita|nieuws|berichten|aktualnosci|wiadomosci|nyheter?|nyheder|uutiset|ajankohtaista"
    r"|aktuality|zpravy|clanky|новости|новини|статьи|блог|пресса|haberler?|haber|duyurular)\b|أخبار|新闻|资讯|公告"
    r"|ニュース|お知らせ|記事|뉴스|공지"
)
SHOP_WORDS = word_pattern(
    r"\b(?:products?|shop|store|catalog(?:ue)?|dp|produkte?|produits?|boutique|productos?|tienda|produtos?|loja"
    r"|prodott[oi]|negozio|producten|winkel|sklep|produkty|produkter|tuotteet|kauppa"
    r"|товары?|магазин|каталог|urunler?|urun)\b|产品|商品|商城|상품"
)
#: things that are listed and dated, and are neither jobs nor articles nor products
OTHER_WORDS = word_pattern(
    r"\b(?:events?|calendar|agenda|webinars?|conferences?|workshops?|tenders?|procurement|bids?|bidding|rfps?|rfqs?"
    r"|solicitations?|grants?|funding|calls? for proposals|courses?|trainings?|veranstaltung(?:en)?|termine|vergaben?"
    r"|evenements?|manifestations|marches-publics|marches publics|appels? d offres|appels-d-offres|formations?|eventos?"
    r"|licitacion(?:es)?|licitac(?:ao|oes)|subvenciones|eventi|gare|appalti|evenementen|aanbestedingen|wydarzenia"
    r"|przetargi|evenemang|upphandlingar|arrangementer|udbud|tapahtumat|akce|zakazky|мероприятия|тендер\w*|закупк\w*"
    r"|zakupk\w*|події|закупівл\w*|etkinlikler?|ihaleler?)\b|活动|招标|采购|イベント|入札|행사|입찰|فعاليات|مناقصات"
)
