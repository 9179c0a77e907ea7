"""The vocabulary of `page_words`: phrases separated by commas or lines, a language or two per line."""

#: names of links and buttons to apply for a job
APPLY = """
    apply, apply now, apply here, apply online, apply today, apply for this job, apply for job, apply for this position
    apply for this role, apply for this vacancy, apply to this job, apply to job, apply for position, easy apply,
    quick apply, apply on company site
    apply on company website, apply via website, i'm interested, start application, submit application,
    submit your application, apply on website
    bewerben, jetzt bewerben, online bewerben, hier bewerben, direkt bewerben, jetzt online bewerben, zur bewerbung,
    bewerbung starten
    bewirb dich, bewirb dich jetzt, zum bewerbungsformular
    postuler, je postule, postuler maintenant, postuler en ligne, postuler à cette offre, postulez, postuler à l'offre,
    déposer ma candidature
    envoyer ma candidature, candidater
    solicitar, postular, postularse, postúlate, aplicar, aplicar ahora, inscribirse, inscribirme, inscríbete,
    solicitar empleo, enviar solicitud
    aplica aquí, aplicar aquí, postular ahora, solicitar ahora
    candidatar, candidatar-se, candidatar-me, candidate-se, candidatura, quero me candidatar, candidatar agora,
    inscreva-se, candidatar-se à vaga
    candidati, candidati ora, invia candidatura, invia la tua candidatura, candidarsi, candidati subito
    solliciteer, solliciteren, solliciteer nu, solliciteer direct, direct solliciteren, solliciteer op deze vacature,
    online solliciteren
    aplikuj, aplikuj teraz, aplikuj online, wyślij cv, ansök, ansök nu, ansök här, sök jobbet, sök tjänsten,
    ansök om jobbet
    søk, søk her, søk på stillingen, søk stillingen, send søknad, ansøg, søg jobbet, søg stillingen, ansøg nu,
    ansøg her, send ansøgning
    hae, hae paikkaa, hae työpaikkaa, hae nyt, hae tehtävään, odpovědět, odpovědět na inzerát, mám zájem,
    reagovat na inzerát
    откликнуться, подать заявку, отправить резюме, откликнуться на вакансию, відгукнутися, відгукнутись, подати заявку,
    надіслати резюме
    başvur, hemen başvur, başvuru yap, şimdi başvur, ilana başvur, قدم الآن, تقدم الآن, تقديم, التقديم, تقدم للوظيفة,
    قدم على الوظيفة
    申请, 立即申请, 申请职位, 投递简历, 我要应聘, 應徵, 我要應徵, 応募, 応募する, 応募はこちら, エントリー,
    エントリーする, 지원하기, 지원, 입사지원, 즉시지원
"""

#: names of links and buttons to buy
BUY = """
    add to cart, add to basket, add to bag, buy, buy now, buy it now, purchase, order now, add to trolley,
    notify me when available
    in den warenkorb, in den einkaufswagen, jetzt kaufen, kaufen, bestellen, zum warenkorb hinzufügen
    ajouter au panier, acheter, acheter maintenant, commander, añadir al carrito, agregar al carrito,
    añadir a la cesta, comprar, comprar ahora
    adicionar ao carrinho, comprar agora, adicionar à sacola, aggiungi al carrello, acquista, acquista ora,
    compra ora, compra
    in winkelwagen, in winkelmand, bestel nu, kopen, toevoegen aan winkelwagen, dodaj do koszyka, do koszyka,
    kup teraz, kup
    lägg i varukorg, lägg i varukorgen, köp, köp nu, legg i handlekurv, legg i handlekurven, kjøp, læg i kurv,
    læg i kurven, tilføj til kurv, køb
    lisää ostoskoriin, osta, lisää koriin, do košíku, vložit do košíku, přidat do košíku, koupit
    в корзину, купить, добавить в корзину, заказать, до кошика, у кошик, купити, додати до кошика, sepete ekle,
    satin al, hemen al
    أضف إلى السلة, أضف للسلة, اشتر الآن, شراء, 加入购物车, 立即购买, 加入購物車, 立即購買, カートに入れる,
    カートに追加, 購入する, 今すぐ買う
    장바구니, 장바구니 담기, 구매하기, 바로구매
"""

IN_STOCK = """
    in stock, available, available now, ready to ship, only few left, auf lager, lieferbar, sofort lieferbar,
    verfügbar, vorrätig
    en stock, disponible, disponible ahora, em estoque, em stock, disponível, disponibile, disponibile subito,
    op voorraad, leverbaar
    dostępny, w magazynie, na stanie, i lager, finns i lager, på lager, varastossa, skladem, в наличии,
    есть в наличии, в наявності, stokta, متوفر
    有货, 現貨, 在庫あり, 재고 있음
"""

SOLD_OUT = """
    out of stock, sold out, unavailable, currently unavailable, temporarily out of stock, not available,
    ausverkauft, nicht lieferbar, nicht auf lager
    nicht verfügbar, vergriffen, derzeit nicht verfügbar, rupture de stock, en rupture de stock, épuisé,
    indisponible, agotado, sin stock, no disponible
    esgotado, indisponível, fora de estoque, esaurito, non disponibile, uitverkocht, niet op voorraad,
    niet leverbaar, wyprzedane, niedostępny, brak w magazynie
    slutsåld, slut i lager, utsolgt, ikke på lager, udsolgt, loppu, ei varastossa, loppuunmyyty, vyprodáno,
    není skladem, нет в наличии, распродано
    немає в наявності, tükendi, stokta yok, غير متوفر, نفدت الكمية, 缺货, 售罄, 缺貨, 売り切れ, 在庫なし, 품절
"""

#: pages about the site itself, by the words of their address or heading
SITE_PAGES = """
    about, about us, who we are, our story, our team, team, mission, contact, contact us, privacy, privacy policy,
    privacy notice, cookies, cookie policy
    terms, terms of use, terms of service, terms and conditions, legal, legal notice, disclaimer, imprint,
    accessibility, accessibility statement, login, log in
    sign in, signin, register, sign up, signup, password, account, my account, cart, basket, checkout, search,
    search results, sitemap, site map, faq, help, support
    subscribe, newsletter, unsubscribe, donate, home, welcome, categories, category, tag, tags, archive, archives,
    shipping, returns, refund policy, copyright, feedback, our services, services, what we do, our work, our mission,
    our values, our history, history, our people, meet the team, meet our team, leadership, governance, our partners
    partners, frequently asked questions, faqs, our approach, how we work, why work with us, benefits
    unser team, leistungen, unsere leistungen, häufige fragen, häufig gestellte fragen, geschichte, leitbild,
    notre équipe, nos services, notre histoire, nos valeurs, questions fréquentes, foire aux questions
    nuestro equipo, servicios, nuestros servicios, preguntas frecuentes, nuestra historia, nossa equipe, serviços,
    perguntas frequentes, il nostro team, servizi, i nostri servizi, domande frequenti, la nostra storia
    ons team, diensten, onze diensten, veelgestelde vragen, nasz zespół, usługi, vårt team, tjänster, vanliga frågor,
    tjenester, ydelser, palvelut, služby, наша команда, услуги, послуги, hizmetler, خدماتنا, 服务, 常见问题,
    よくある質問
    über uns, ueber uns, wir über uns, kontakt, datenschutz, datenschutzerklärung, impressum, agb,
    nutzungsbedingungen, anmelden, anmeldung, registrieren, warenkorb, suche
    suchergebnisse, hilfe, barrierefreiheit, startseite, willkommen, versand, widerrufsbelehrung
    à propos, a propos, qui sommes-nous, nous contacter, contactez-nous, confidentialité,
    politique de confidentialité, mentions légales, conditions générales
    connexion, inscription, panier, recherche, résultats de recherche, plan du site, aide, accueil, accessibilité,
    cgu, cgv
    acerca de, quiénes somos, sobre nosotros, nosotros, contacto, contáctenos, privacidad, política de privacidad,
    aviso legal, términos y condiciones, iniciar sesión
    acceder, registro, registrarse, carrito, buscar, búsqueda, resultados de búsqueda, mapa del sitio, ayuda,
    inicio, bienvenidos
    sobre, sobre nós, quem somos, contato, contacto, fale conosco, privacidade, política de privacidade,
    termos de uso, entrar, cadastro, carrinho, busca, pesquisa, ajuda
    chi siamo, contatti, contattaci, informativa sulla privacy, note legali, accedi, registrati, carrello, cerca,
    risultati della ricerca, aiuto
    over ons, wie zijn wij, contact opnemen, privacyverklaring, privacybeleid, voorwaarden, algemene voorwaarden,
    inloggen, aanmelden, winkelwagen, zoeken, zoekresultaten
    o nas, polityka prywatności, regulamin, zaloguj się, logowanie, rejestracja, koszyk, szukaj,
    wyniki wyszukiwania, pomoc
    om oss, kontakta oss, integritetspolicy, logga in, varukorg, sök, sökresultat, om os, kontakt oss, personvern,
    logg inn, handlekurv, privatlivspolitik, log ind, søgeresultater
    meistä, tietoa meistä, yhteystiedot, ota yhteyttä, tietosuoja, tietosuojaseloste, kirjaudu, ostoskori, haku,
    o nás, kontakty, ochrana osobních údajů, přihlášení, košík, hledat
    о нас, о компании, контакты, политика конфиденциальности, войти, вход, регистрация, корзина, поиск,
    результаты поиска, помощь, про нас, контакти, увійти, пошук
    hakkimizda, iletişim, gizlilik, gizlilik politikasi, giriş, üye ol, sepet, arama, yardim, من نحن, اتصل بنا,
    سياسة الخصوصية, تسجيل الدخول, البحث
    关于我们, 联系我们, 隐私政策, 登录, 注册, 购物车, 搜索, 關於我們, 聯絡我們, 会社概要, お問い合わせ,
    プライバシーポリシー, 利用規約, ログイン, 検索, 회사소개, 문의, 개인정보처리방침, 로그인, 검색
"""

#: headings over many things of a kind, and generic headings
LISTING_HEADINGS = """
    jobs, job, all jobs, vacancies, current vacancies, open vacancies, vacancy, careers, career, open positions,
    current openings, job openings, openings, positions, opportunities
    job opportunities, career opportunities, job search, job listings, job list, work with us, join us,
    join our team, employment, internships, consultancies, tenders, job vacancies
    available positions, current opportunities, latest jobs, news, latest news, all news, newsroom, blog, articles,
    press, press releases, media, media centre, events, publications, stories
    products, all products, shop, store, catalogue, catalog, new arrivals, sale, results, listing, listings,
    latest, updates, announcements, insights, resources
    stellenangebote, offene stellen, karriere, jobs und karriere, aktuelle stellenangebote, stellenausschreibungen,
    unsere stellenangebote, aktuelles, neuigkeiten, nachrichten, presse
    pressemitteilungen, produkte, veranstaltungen, meldungen, alle artikel
    offres d'emploi, nos offres d'emploi, nos offres, emplois, recrutement, carrières, actualités,
    toutes les actualités, actus, presse, communiqués de presse, produits, boutique, événements, articles
    empleos, ofertas de empleo, vacantes, trabaja con nosotros, convocatorias, bolsa de trabajo, noticias,
    actualidad, prensa, productos, tienda, eventos
    vagas, vagas de emprego, vagas abertas, trabalhe conosco, oportunidades, carreiras, notícias, novidades,
    imprensa, produtos, loja
    lavora con noi, offerte di lavoro, posizioni aperte, notizie, comunicati stampa, prodotti, eventi, vacatures,
    alle vacatures, werken bij, nieuws, persberichten, producten, agenda
    oferty pracy, praca, kariera, aktualności, produkty, wydarzenia, lediga jobb, lediga tjänster, karriär,
    nyheter, pressmeddelanden, produkter, ledige stillinger, jobb, ledige job, nyheder
    avoimet työpaikat, työpaikat, uutiset, ajankohtaista, tuotteet, volná místa, kariéra, nabídka práce, aktuality,
    novinky, produkty
    вакансии, открытые вакансии, карьера, новости, все новости, пресс-центр, товары, каталог, вакансії, новини,
    товари, iş ilanlari, açik pozisyonlar, kariyer, haberler, duyurular, ürünler
    وظائف, الوظائف, الوظائف الشاغرة, الأخبار, أخبار, المنتجات, 招聘, 招聘信息, 职位列表, 新闻, 新闻中心, 产品,
    產品, 新聞, 最新消息, 求人一覧, 採用情報, 求人情報, ニュース, お知らせ, 新着情報, 商品一覧, 製品情報
    채용, 채용공고, 채용정보, 뉴스, 공지사항, 보도자료, 상품목록
"""

#: sections of a site in which every page is an article, by the words of their address
ARTICLE_SECTIONS = """
    news, newsroom, blog, blogs, article, articles, story, stories, post, posts, essay, essays, opinion, opinions,
    press, press release, press releases, features, feature, magazine, column, columns, editorial, interviews, reports
    docs, doc, documentation, guide, guides, tutorial, tutorials, manual, wiki, handbook, how to, howto, learn, kb,
    knowledge base, knowledgebase, reference, cookbook, recipes
    nachrichten, artikel, beitrag, meldung, pressemitteilung, pressemitteilungen, magazin, ratgeber, anleitung,
    dokumentation, handbuch
    actualite, actualites, actu, article, billet, communique, tribune, guide, noticia, noticias, articulo, articulos,
    opinion, reportaje, reportajes, materia, artigo, artigos
    notizie, articolo, articoli, nieuws, artikelen, aktualnosci, artykul, nyheter, nyhet, artiklar, nyheder, uutiset,
    clanek, clanky, zpravy, novosti, stati, haber, haberler, makale
"""

#: sections in which every page is an event
EVENT_SECTIONS = """
    event, events, calendar, webinar, webinars, conference, conferences, veranstaltung, veranstaltungen, termine,
    evenement, evenements, agenda, evento, eventos, eventi, evenementen, wydarzenia, evenemang, arrangementer,
    tapahtumat, akce, etkinlik, etkinlikler
"""

#: words of generic titles
GENERIC_TITLES = """
    vacancy, vacancies, job, jobs, position, posting, opening, opportunity, career, careers, announcement, notice,
    detail, details, description, view, display, show, item, page, information, overview, untitled, document, the, of
    product, article, news, event, tender, press release, profile, portal, recruitment, apply, application
    stelle, stellenangebot, stellenausschreibung, stellendetails, detailansicht, ansicht, anzeige, einzelansicht,
    artikel, meldung, produkt, offre, emploi, poste, annonce, détail, détails, fiche, de, d, la, l, du, produit
    oferta, empleo, vacante, detalle, detalles, convocatoria, producto, noticia, vaga, detalhe, detalhes, produto
    notícia, offerta, lavoro, dettaglio, dettagli, scheda, prodotto, notizia, vacature, functie, nieuws, bericht
    praca, pracy, szczegóły, ogłoszenie, produktu, aktualność, tjänst, jobb, stilling, annons, detaljer, nyhet
    työpaikka, tiedot, uutinen, pozice, detaily, nabídka, вакансия, вакансии, подробности, детали, описание, новость
    вакансія, деталі, ilan, detay, detayı, haber, تفاصيل, الوظيفة, وظيفة, 职位详情, 详情, 新闻详情, 求人詳細, 詳細, 상세
"""

PREORDER = (
    "pre-order, preorder, vorbestellbar, vorbestellen, précommande, preventa, pré-venda, preordina, 予約, 预订, 預購"
)
