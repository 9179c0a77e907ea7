"""The labels of record fields on pages, in twenty languages."""

from collections.abc import Mapping

from lamplighter.extract.words.field_vocabulary_jobs import JOB_VOCABULARY

_DATES: Mapping[str, str] = {
    "deadline": """
        deadline, application deadline, deadline for applications, deadline for application, apply by, apply before,
        apply until, apply no later than, closing date, close date, closing, closes, closes on, closing on, closing in,
        date closing, end date, expires, expires on, expiry, expiry date, expiration date, due date, due, due by,
        last date, last date to apply, application end date, application due date, applications close,
        application closing date, valid until, valid through, open until, open till, live until, live till,
        online until, advertised until, advert closes, vacancy closes, job closes, position closes, submission deadline,
        cut off date, deadline date, final date, days left, application period ends, posting end date, unposting date,
        vacancy closing date, bid deadline, tender deadline
        bewerbungsschluss, bewerbungsfrist, bewerbung bis, frist, bewerbungsende, einsendeschluss, bewerben bis,
        anmeldeschluss, gultig bis, ende der bewerbungsfrist, ablaufdatum, abgabefrist, meldeschluss, angebotsfrist,
        teilnahmefrist, schlusstermin, abgabetermin, submissionstermin, ende der angebotsfrist
        date de remise des offres, remise des offres, presentacion de ofertas, entrega de propostas, scadenza offerte,
        inschrijvingstermijn, sluiting inschrijving, anbudstid, sista anbudsdag, tilbudsfrist, tarjousaika,
        lhuta pro podani nabidek, окончание подачи заявок, срок подачи предложений, ihale tarihi, teklif tarihi
        date limite, date limite de candidature, date limite de depot, date limite de depot des candidatures,
        date de cloture, cloture, date de fin, date d expiration, delai de candidature, postuler avant, avant le,
        fin de publication, date de cloture des candidatures, delai, date limite de soumission, expire le
        fecha limite, fecha de cierre, cierre, plazo, plazo de presentacion, fecha de vencimiento, vencimiento,
        fecha limite de postulacion, fecha de expiracion, fin de plazo, cierra el, fecha de fin, plazo de solicitud
        prazo, data limite, data de encerramento, encerramento, prazo de candidatura, prazo de inscricao,
        inscricoes ate, data de fecho, data de termino, candidaturas ate, validade
        scadenza, data di scadenza, termine, data di chiusura, scadenza candidature, termine di presentazione, scade il,
        termine presentazione domande
        sluitingsdatum, solliciteren voor, reageren voor, reageer voor, uiterste datum, deadline sollicitatie,
        einddatum, solliciteren tot, reageren kan tot
        termin skladania, termin skladania dokumentow, termin aplikowania, aplikuj do, wazne do, data zakonczenia,
        termin skladania ofert, data waznosci, termin
        sista ansokningsdag, ansok senast, sista ansokningsdatum, sok senast, ansok fore, sista dag, slutdatum
        soknadsfrist, sok innen, frist for soknad, utlopsdato
        ansogningsfrist, frist for ansogning, sidste frist, udlober
        hakuaika paattyy, hakuaika, viimeinen hakupaiva, haku paattyy, hae viimeistaan, hakemus viimeistaan
        uzaverka, termin podani, uzaverka prihlasek, datum uzaverky, prihlasky do, platnost do
        дата закрытия, срок подачи, крайний срок, срок подачи заявок, последний день, окончание приема, дедлайн,
        прием заявок до, действует до, дата окончания, срок до
        крайній термін, кінцевий термін, термін подання, дата закриття, дедлайн, дійсна до, кінцева дата
        son basvuru, son basvuru tarihi, son tarih, bitis tarihi, basvuru bitis tarihi, kapanis tarihi
        الموعد النهائي, آخر موعد, تاريخ الإغلاق, آخر موعد للتقديم, تاريخ الانتهاء, ينتهي في
        截止日期, 截止时间, 截至日期, 申请截止, 报名截止, 截止, 締切, 締切日, 応募締切, 応募期限, 締め切り, 募集期限,
        마감일, 마감, 접수마감, 지원마감, 접수기간, 모집기간, 지원기간, 応募期間, 募集期間, 受付期間, 报名时间, 申请时间
        application period, applications accepted until, bewerbungszeitraum, bewerbungsphase, periode de candidature,
        periode d inscription, periodo de inscripcion, plazo de inscripcion, periodo de inscricao,
        periodo de inscricoes, ansokningsperiod, ansokningstid, okres skladania
    """,
    "updated_at": """
        updated, last updated, updated on, last update, modified, last modified, date updated, update date, revised,
        as of
        aktualisiert, zuletzt aktualisiert, geandert, letzte aktualisierung, letzte anderung, stand, anderungsdatum
        mis a jour, mise a jour, derniere mise a jour, modifie le, derniere modification, date de mise a jour
        actualizado, ultima actualizacion, fecha de actualizacion, modificado, atualizado, atualizado em,
        ultima atualizacao
        aggiornato, ultima modifica, modificato il, ultimo aggiornamento, aggiornato il
        bijgewerkt, laatst bijgewerkt, laatste update, gewijzigd
        zaktualizowano, aktualizacja, ostatnia aktualizacja, uppdaterad, senast uppdaterad, oppdatert, sist oppdatert
        opdateret, sidst opdateret, paivitetty, viimeksi paivitetty, aktualizovano, posledni aktualizace
        обновлено, дата обновления, изменено, последнее обновление, оновлено, guncellendi, guncelleme tarihi,
        son guncelleme, آخر تحديث, تم التحديث, 更新, 更新日期, 更新时间, 最后更新, 更新日, 最終更新日, 수정일, 업데이트
    """,
    "published_at": """
        posted, posted on, posted date, date posted, posting date, post date, published, published on, date published,
        publication date, publish date, publishing date, opening date, open date, opened, date opened, issued,
        issue date, date of issue, date of publication, listed, listed on, listing date, added, date added, added on,
        created, date created, created on, released, release date, announced, announcement date, start of application,
        first posted, job posted, job posting date, job posted on, advertised, date advertised, posting start date,
        advertised on, advertised since, advert date, advertisement date, placed on, date placed, date listed,
        opened on, live since, online since, creation date, date of posting, date of listing
        filed, filed on, date filed, filing date, file date, decided, decided on, date decided, decision date,
        date of decision, opinion date, opinion filed, date of opinion, issued on, date issued, date released,
        released on, document date, adopted on, date adopted, entscheidungsdatum, entschieden am,
        date de la decision, date de decision, rendu le, rendue le, fecha de la sentencia, fecha de resolucion,
        fecha de la resolucion, data do julgamento, data da decisao, data della decisione, data decisione,
        datum uitspraak, uitspraakdatum, data orzeczenia, data wydania, data wyroku, datum rozhodnuti,
        дата решения, дата принятия, karar tarihi, 裁判日期, 裁判年月日, 선고일
        veroffentlicht, veroffentlicht am, veroffentlichungsdatum, eingestellt am, online seit, ausschreibungsdatum,
        erstellt, erstellt am, erschienen, erschienen am, publiziert, datum der veroffentlichung,
        eintrittsdatum der anzeige
        publie, publie le, publiee le, date de publication, mise en ligne, mis en ligne, mis en ligne le, paru le,
        ajoute le, date de parution, date d ouverture, en ligne depuis, date de mise en ligne
        publicado, publicado el, fecha de publicacion, publicacion, fecha de apertura, fecha de inicio de publicacion,
        publicada, publicado em, data de publicacao, publicacao, data da publicacao, data de abertura, publicada em
        pubblicato, pubblicato il, data di pubblicazione, data pubblicazione, pubblicazione, inserito il
        geplaatst, geplaatst op, gepubliceerd, gepubliceerd op, publicatiedatum, plaatsingsdatum, datum geplaatst
        opublikowano, data publikacji, dodano, data dodania, data ogloszenia, opublikowana
        publicerad, publicerad den, publiceringsdatum, publicerat, upplagd, publisert, publisert dato, publiseringsdato,
        lagt ut, offentliggjort, publiceret, udgivet, oprettet, julkaistu, julkaisupaiva, julkaisupaivamaara, ilmoitettu
        zverejneno, datum zverejneni, publikovano, vydano, datum vlozeni, datum vydani
        от, від, опубликовано, дата публикации, размещено, дата размещения, опубликована, добавлено, дата добавления
        опубліковано, дата публікації, розміщено, додано, дата розміщення
        yayinlanma tarihi, yayin tarihi, ilan tarihi, yayinlandi, eklenme tarihi
        تاريخ النشر, نشر في, تم النشر, تاريخ الإعلان, تاريخ الإضافة
        发布日期, 发布时间, 发布, 发表时间, 发布于, 公布日期, 公開日, 掲載日, 掲載開始日, 投稿日, 公開日時, 발행일,
        등록일, 게시일, 작성일, 공고일
    """,
}

_OTHERS: Mapping[str, str] = {
    "price": """
        price, unit price, our price, sale price, price from, cost, list price, retail price, regular price, now,
        current price, preis, verkaufspreis, stuckpreis, einzelpreis, unser preis, prix, prix unitaire, tarif, prix ttc,
        prix public, precio, precio unitario, precio final, preco, valor, preco unitario, prezzo, prezzo unitario,
        prijs, verkoopprijs, cena, cena brutto, pris, hinta, цена, стоимость, ціна, вартість, fiyat, fiyati, السعر, سعر,
        价格, 售价, 单价, 価格, 販売価格, 税込価格, 値段, 가격, 판매가
    """,
    "availability": """
        availability, stock, in stock, stock status, available, stock level, verfugbarkeit, lagerbestand, lieferbarkeit,
        bestand, verfugbar, lieferzeit, disponibilite, disponibilidad, existencias, disponibilidade, estoque,
        disponibilita, giacenza, beschikbaarheid, voorraad, op voorraad, dostepnosc, stan magazynowy, tillganglighet,
        lagerstatus, i lager, tilgjengelighet, lagerbeholdning, pa lager, tilgaengelighed, saatavuus, varastossa,
        dostupnost, skladem, наличие, в наличии, доступность, наявність, stok, stok durumu, mevcutluk, التوفر, المخزون,
        库存, 现货, 有货, 在庫, 在庫状況, 재고
    """,
    "brand": """
        brand, brand name, make, manufacturer, label, marke, hersteller, marque, fabricant, constructeur, marca,
        fabricante, produttore, merk, fabrikant, marka, producent, varumarke, tillverkare, merke, produsent, maerke,
        fabrikat, merkki, valmistaja, znacka, vyrobce, vyrobca, kaubamark, tootja, zimols, razotajs, gyarto,
        бренд, марка, производитель, виробник, uretici, العلامة التجارية, الماركة, 品牌, 厂商, 生产商, ブランド,
        メーカー, 브랜드, 제조사
    """,
    "sku": """
        sku, item number, item no, item code, product code, product number, product no, product id, part number,
        part no, model, model number, model no, mpn, ean, gtin, upc, isbn, catalogue number, catalog number, cat no,
        style number
        artikelnummer, artikel nr, art nr, artikelnr, bestellnummer, bestell nr, produktnummer, hersteller nr
        reference produit, reference article, ref produit, code article, code produit, referencia del producto,
        codigo de producto, codigo de articulo, codigo do produto, codice articolo, codice prodotto, productcode,
        artikelcode, productnummer, kod produktu, numer katalogowy, indeks, symbol, varenummer, varenr, produktkod,
        tuotenumero, tuotekoodi, katalogove cislo, kod zbozi, kod, артикул, код товара, код товару, модель, urun kodu,
        stok kodu, رمز المنتج, رقم المنتج, 货号, 商品编号, 产品编号, 型号, 商品コード, 型番, 品番, 상품코드, 모델명
    """,
    "author": """
        author, authors, by, written by, byline, posted by author, reporter, journalist, autor, autorin, autoren,
        verfasser, muhabir, von, text von, auteur, auteurs, par, redige par, autora, autores, escrito por, por, autore,
        autori, scritto da, di a cura di, geschreven door, auteur s, door, autorzy, napisal, forfattare, av, skriven av,
        forfatter, skrevet av, af, skrevet af, kirjoittaja, kirjoittanut, autor clanku, napsal, автор, авторы, автори,
        yazar, yazan, الكاتب, بقلم, المؤلف, 作者, 撰文, 记者, 著者, 筆者, 執筆者, 投稿者, 작성자, 글쓴이, 기자, 저자
    """,
    "section": """
        section, rubric, channel, rubrik, ressort, rubrique, seccion, secao, editoria, sezione, rubriek, dzial, sektion,
        avdelning, seksjon, osasto, rubrika, рубрика, раздел, рубрика, розділ, bolum, القسم, 栏目, 版块, コーナー, 섹션
    """,
    "tags": """
        category, categories, tags, tag, topics, topic, keywords, job family, job category, field of work,
        occupational group, professional field, field, job function, functional area, sector, industry, theme, themes,
        subject, job area, discipline, job network, occupational area, career field, subjects, area of work,
        area of expertise, kategorie, kategorien, schlagworte, schlagworter, thema, themen, berufsfeld, fachbereich,
        branche, tatigkeitsfeld, arbeitsbereich, bereich, categorie, thematique, themes, domaine, domaine d activite,
        mots cles, filiere, metier, secteur, secteur d activite, categoria, etiquetas, tema, temas, area profesional,
        sector, palabras clave, area de atuacao, palavras chave, etiqueta, settore, argomento, argomenti, parole chiave,
        vakgebied, onderwerp, trefwoorden, branche, kategoria, branza, slowa kluczowe, temat, kategori, yrkesomrade,
        amne, amnen, taggar, bransch, fagomrade, stikkord, emneord, bransje, emner, ala, ammattiala, aihe, aiheet,
        avainsanat, toimiala, obor, klicova slova, tema, категория, теги, ключевые слова, тема, сфера деятельности,
        отрасль, категорія, ключові слова, галузь, etiketler, konu, sektor, الفئة, التصنيف, الوسوم, القطاع, 类别, 分类,
        标签, 行业, 关键词, カテゴリ, カテゴリー, タグ, キーワード, 分野, 職種分類, 카테고리, 분류, 태그, 직종
    """,
    "description": """
        description, summary, job description, short description, abstract, overview, synopsis, brief description,
        teaser, job summary, details, beschreibung, kurzbeschreibung, zusammenfassung, stellenbeschreibung, aufgaben,
        resume, descriptif, descriptif du poste, description du poste, mission, descripcion, resumen,
        descripcion del puesto, descricao, resumo, descrizione, sintesi, omschrijving, beschrijving, samenvatting, opis,
        opis stanowiska, streszczenie, beskrivning, sammanfattning, beskrivelse, sammendrag, resume af, kuvaus,
        tiivistelma, popis, shrnuti, popis pozice, описание, краткое описание, аннотация, опис, короткий опис, aciklama,
        ozet, الوصف, وصف الوظيفة, ملخص, 描述, 简介, 摘要, 职位描述, 概要, 説明, 仕事内容, 業務内容, 설명, 요약, 내용
    """,
    "title": """
        title, job title, position, position title, post, post title, vacancy, vacancies, role, name, vacancy title,
        opening, job, functional title, headline, subject line, heading, job name, vacancy name, opportunity, event,
        product, product name, item, item name, article, article title, tender, tender title, working title,
        position name, jobs, positions, openings, job opening, call, call for proposals, job posting, posting title,
        notice, event title, project title, opportunity title, internship, posting, official title, advert, consultancy,
        course
        titel, bezeichnung, stellenbezeichnung, stelle, stellentitel, stellenangebot, berufsbezeichnung, jobtitel,
        position, funktion, ausschreibung, stellen, produkt, artikel, produktname, uberschrift, veranstaltung,
        jobbezeichnung, tatigkeit
        titre, intitule, intitule du poste, poste, titre du poste, offre, emploi, intitule de l offre, libelle, produit,
        fonction, poste a pourvoir, designation, evenement, titre de l offre, nom, appel d offres, intitule de l emploi
        titulo, puesto, cargo, vacante, oferta, titulo del puesto, puesto de trabajo, nombre, nombre del puesto, empleo,
        denominacion, producto, oferta de empleo, convocatoria, titular, plaza, titulo de la vacante,
        nombre del producto
        vaga, titulo da vaga, funcao, nome, produto, concurso, oportunidade, emprego, edital, oferta de emprego
        titolo, posizione, ruolo, posto, profilo, figura professionale, prodotto, bando, offerta, oggetto, nome,
        denominazione
        functie, vacature, functietitel, naam, functienaam, product, vacaturetitel
        tytul, stanowisko, nazwa stanowiska, oferta, nazwa, produkt, oferta pracy, nazwa produktu, tytul ogloszenia
        tjanst, befattning, roll, rubrik, titel, yrke, jobb, stilling, stillingstittel, tittel, rolle,
        stillingsbetegnelse, jobtitel, overskrift, stillingsnavn, tehtava, tehtavanimike, nimike, otsikko, tyotehtava,
        tyopaikka, tuote, ammattinimike
        pozice, nazev, nazev pozice, pracovni pozice, nazev pracovniho mista, produkt, nabidka, titulek
        должность, вакансия, название, название вакансии, позиция, заголовок, наименование, товар,
        наименование должности, вакансии
        посада, вакансія, назва, назва вакансії, позиція, заголовок, найменування, товар, назва посади
        pozisyon, unvan, ilan, baslik, is unvani, pozisyon adi, kadro, urun, ad, urun adi
        المسمى الوظيفي, الوظيفة, العنوان, الوظائف, عنوان الوظيفة, المنصب, اسم الوظيفة, المنتج, الاسم
        职位, 职位名称, 岗位, 岗位名称, 标题, 职务, 名称, 产品, 招聘职位, 产品名称, 题目, 職位, 募集職種, 職種, 求人,
        タイトル, ポスト名, 件名, 商品名, 職名, ポスト, 役職, 見出し, 案件名, 제목, 직무, 채용공고, 직위, 포지션,
        상품명, 공고명, 모집분야, 공고제목
    """,
}

#: raw field -> its labels. The first field to claim a phrase keeps it
VOCABULARY: Mapping[str, str] = {**_DATES, **JOB_VOCABULARY, **_OTHERS}

#: words that turn a label with a known phrase into something else: "Company size", "Posted by", "Location map"
NEVER_WITHIN = """
    by size type types logo website web url map email phone tel telephone fax contact name code zip postal image photo
    picture about more show hide sort filter search select choose all any view our your why benefits overview count
    total requirements responsibilities qualifications similar related other how what profile video policy alerts alert
    original old was previous former before crossed ancien antes statt alter vecchio oude stara sortieren filtern suchen
    groesse art webseite taille rechercher trier filtrer tamano buscar ordenar filtrar
"""
