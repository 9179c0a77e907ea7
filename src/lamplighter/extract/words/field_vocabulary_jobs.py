"""The labels of job posting fields on pages, in twenty languages."""

from collections.abc import Mapping

#: raw field -> its labels
JOB_VOCABULARY: Mapping[str, str] = {
    "guid": """
        reference, ref, ref no, ref nr, reference no, reference number, reference code, reference id, job id,
        job number, job no, job code, job ref, job reference, vacancy no, vacancy number, vacancy id, vacancy reference,
        vacancy announcement, vacancy announcement number, va no, va number, requisition, requisition id, req id,
        requisition number, requisition no, req no, position number, position id, position no, post number, posting id,
        posting number, announcement number, notice number, advert number, id, job opening id, job opening number,
        opportunity number, tender number, tender no, notice id, advertisement number
        kennziffer, referenz, referenznummer, referenznr, stellennummer, job nr, ausschreibungsnummer, stellen id,
        kennnummer, chiffre, referenzcode
        numero de reference, n de reference, reference de l offre, reference du poste, numero de l offre,
        no de reference
        referencia, numero de referencia, codigo, codigo de referencia, codigo de la oferta, codigo da vaga,
        riferimento, codice, codice di riferimento, numero di riferimento, rif, referentie, referentienummer,
        vacaturenummer, kenmerk, numer referencyjny, numer ogloszenia, nr referencyjny, nr ref
        referens, referensnummer, diarienummer, referanse, referansenummer, finn kode, referencenummer, viite, tyoavain,
        viitenumero, referencni cislo, cislo vyberoveho rizeni, номер вакансии, код вакансии, номер, ссылочный номер,
        номер вакансії, код, ilan no, referans no, ilan numarasi, الرقم المرجعي, رقم الوظيفة, 职位编号, 编号, 参考编号,
        求人番号, 整理番号, 공고번호, 채용번호
    """,
    "country": """
        country, countries, country of assignment, duty country, land, einsatzland, pays, pays d affectation, pais,
        paises, paese, kraj, panstwo, land region, maa, zeme, stat, страна, країна, ulke, الدولة, البلد, بلد, 国家,
        国家地区, 国, 국가
    """,
    "location": """
        location, locations, duty station, duty stations, place, place of work, place of performance, city, town, site,
        workplace, work location, job location, office, office location, where, based in, station, venue,
        posting location, primary location, location city, region, city state, place of assignment, duty location,
        primary work location, work site, city country, location country, country location, country city,
        duty station country, locality, area
        ort, standort, einsatzort, arbeitsort, dienstort, arbeitsplatz, stadt, dienstsitz, standorte, arbeitsstatte,
        beschaftigungsort, region ort, veranstaltungsort
        lieu, lieux, lieu de travail, lieu d affectation, localisation, ville, localite, lieu du poste, lieu de mission,
        lieu de la mission, site de travail, implantation
        lugar, ubicacion, lugar de destino, lugar de trabajo, localidad, ciudad, localizacion, destino, provincia, sede
        local, localizacao, cidade, local de trabalho, localidade, lugar de trabalho, lotacao
        luogo, sede di lavoro, luogo di lavoro, citta, localita, ubicazione, sede
        locatie, plaats, standplaats, werklocatie, werkplek, stad, vestiging
        lokalizacja, miejsce pracy, miejscowosc, miasto, miejsce
        plats, ort, arbetsort, stationeringsort, placering, stad, placeringsort, kommun
        sted, arbeidssted, lokasjon, arbejdssted, placering, lokation, tjenestested, beliggenhet
        sijainti, paikkakunta, tyopaikan sijainti, kaupunki, toimipaikka, tyoskentelypaikka
        misto, misto vykonu prace, lokalita, mesto, misto prace, pracoviste
        место, город, местоположение, место работы, регион, место службы, локация
        місце, місто, місце роботи, розташування, регіон, локація
        konum, sehir, lokasyon, yer, calisma yeri, gorev yeri, il
        الموقع, المكان, المدينة, مكان العمل, مقر العمل
        地点, 工作地点, 城市, 所在地, 工作地, 地区, 勤務地, 就業場所, 場所, 근무지, 지역, 근무지역, 장소
    """,
    "organisation": """
        ministry, ministry or department, ministry department, jednostka, jednostka organizacyjna, organisation,
        organization, organisations, organization name, employer, company, company name, agency, institution, institute,
        hiring organization, hiring organisation, recruiter, hiring company, organisational unit, organization unit,
        entity, contracting authority, buyer, client, organizer, employer name, hiring agency, un agency, publisher,
        seller, vendor, university, legal entity, host organisation, host organization, company's name, employer's name,
        name of company, name of employer, name of organisation, name of organization
        procuring entity, procuring agency, purchasing entity, vergabestelle, ausschreibende stelle,
        pouvoir adjudicateur, acheteur, organo de contratacion, entidad contratante, poder adjudicador,
        entidade adjudicante, orgao contratante, stazione appaltante, aanbestedende dienst, zamawiajacy,
        upphandlande myndighet, upphandlande enhet, oppdragsgiver, ordregiver, hankintayksikko, zadavatel,
        ihaleyi yapan idare
        arbeitgeber, unternehmen, firma, einrichtung, auftraggeber, anbieter, institut, behorde, betrieb, gesellschaft
        organisme, employeur, entreprise, societe, etablissement, recruteur, structure, institution
        organizacion, empresa, empleador, entidad, institucion, compania, organismo
        organizacao, empregador, instituicao, entidade, companhia, orgao
        organizzazione, azienda, ente, datore di lavoro, societa, istituzione, amministrazione
        organisatie, werkgever, bedrijf, bedrijfsnaam, opdrachtgever, instelling
        organizacja, pracodawca, firma, instytucja, urzad, nazwa firmy
        arbetsgivare, foretag, organisation, arbeidsgiver, bedrift, selskap, virksomhet, arbejdsgiver, virksomhed,
        myndighet, myndighed, tyonantaja, yritys, organisaatio, zamestnavatel, spolecnost, organizace, instituce
        организация, работодатель, компания, учреждение, заказчик, агентство, предприятие
        організація, роботодавець, компанія, установа, підприємство, замовник
        kurum, isveren, sirket, kurulus, firma, sirket adi
        المنظمة, الشركة, صاحب العمل, المؤسسة, الجهة, اسم الشركة
        机构, 公司, 单位, 雇主, 组织, 公司名称, 招聘单位, 企業, 会社, 会社名, 機関, 企業名, 機関名, 募集機関, 雇用者,
        회사, 기관, 기업, 회사명, 기관명
    """,
    "level": """
        grade, level, post level, job level, grade level, position level, salary grade, pay grade, band, seniority,
        seniority level, career level, experience level, job grade, class, classification, pay band, level grade,
        grade step, career stage, contract level, post grade, level of post, ics level, staff grade
        besoldung, entgeltgruppe, besoldungsgruppe, stufe, tarifgruppe, eingruppierung, karrierestufe, vergutungsgruppe
        niveau, classe, categorie statutaire, echelon, niveau du poste, classement, niveau de poste, grade du poste
        nivel, grado, categoria profesional, nivel del puesto, nivel profesional, grau, escalao, livello, inquadramento,
        schaal, salarisschaal, functieniveau, poziom, poziom stanowiska, stupen, uroven, niva, niva pa stilling, taso,
        уровень, класс, грейд, разряд, рівень, розряд, ранг, seviye, derece, kademe, الدرجة, المستوى, الرتبة, 级别,
        职级, 等级, 職位等級, 級, グレード, 職級, レベル, 직급, 등급
    """,
    "career_type": """
        contract type, type of contract, employment type, type of employment, job type, type of appointment,
        appointment type, contract, contractual arrangement, contract modality, position type, full part time,
        full time part time, work type, working time, employment status, type of position, vacancy type, hours,
        job schedule, schedule, employment, contract duration type, appointment, time type, staff category,
        recruitment type, type of job, post type
        vertragsart, beschaftigungsart, anstellungsart, arbeitszeit, arbeitszeitmodell, art der beschaftigung,
        beschaftigung, beschaftigungsverhaltnis, umfang, befristung, anstellung, arbeitsverhaltnis, pensum, stellenart,
        stellentyp
        type de contrat, contrat, nature du contrat, type d emploi, temps de travail, type de poste, nature de l emploi
        tipo de contrato, contrato, tipo de empleo, jornada, jornada laboral, tipo de jornada, modalidad contractual,
        modalidad de contratacion, tipo de nombramiento, tipo de vaga, regime, regime de contratacao, vinculo,
        tipo di contratto, contratto, tipologia contrattuale, orario di lavoro, orario, tipologia di contratto
        dienstverband, contracttype, contractvorm, soort contract, uren, soort dienstverband, aantal uren
        rodzaj umowy, typ umowy, umowa, wymiar etatu, wymiar pracy, forma zatrudnienia, rodzaj zatrudnienia, etat
        anstallningsform, anstallningstyp, omfattning, ansettelsesform, stillingstype, heltid deltid, ansaettelsesform,
        ansaettelsestype, ansettelse, stillingsprosent, tyosuhde, tyosuhteen tyyppi, tyosuhteen kesto, tyoaika,
        typ smlouvy, typ uvazku, uvazek, pracovni pomer, druh pracovniho pomeru, smlouva
        тип контракта, тип занятости, занятость, вид занятости, тип договора, график, график работы, тип вакансии
        тип контракту, тип зайнятості, зайнятість, вид зайнятості, графік роботи
        sozlesme turu, calisma sekli, istihdam turu, calisma turu, is turu, pozisyon turu
        نوع العقد, نوع الوظيفة, نوع التوظيف, نوع الدوام, الدوام
        合同类型, 工作类型, 职位类型, 工作性质, 雇佣类型, 合同性质, 雇用形態, 契約形態, 勤務形態, 契約種別, 고용형태,
        근무형태, 계약유형, 고용유형
    """,
    "work_modality": """
        work modality, modality, work mode, workplace type, work arrangement, remote, remote work, remote status,
        on site, working model, location type, remote type, home based, work model, remote option, telework,
        work from home, work style
        arbeitsmodell, homeoffice, home office, arbeitsform, teletravail, mode de travail, modalite,
        modalite de travail, modalidad, modalidad de trabajo, teletrabajo, modelo de trabalho, modalidade,
        modalita di lavoro, modalita, telelavoro, werkvorm, thuiswerken, tryb pracy, arbetssatt, distansarbete,
        hjemmekontor, etatyo, zpusob prace, формат работы, удаленная работа, формат роботи, calisma modeli, uzaktan,
        نمط العمل, طريقة العمل, 工作方式, 远程, 勤務スタイル, リモート, 근무방식
    """,
    "salary": """
        salary, salary range, pay, pay range, pay rate, wage, wages, compensation, remuneration, annual salary,
        base salary, stipend, salary band, salary and benefits, rate, rate of pay, hourly rate, estimated salary,
        salary per year
        gehalt, vergutung, lohn, entgelt, jahresgehalt, bezahlung, salaire, remuneration, traitement, salaire brut,
        salaire annuel
        salario, sueldo, remuneracion, retribucion, honorarios, salario bruto, remuneracao, vencimento, ordenado, bolsa,
        stipendio, retribuzione, retribuzione annua, ral, compenso, salaris, loon, beloning, salarisindicatie,
        wynagrodzenie, placa, pensja, zarobki, lon, loning, lonn, lonnstrinn, arslonn, palkka, palkkaus, mzda, plat,
        зарплата, оклад, заработная плата, оплата, вознаграждение, заробітна плата, оплата праці, зарплатня, maas,
        ucret, الراتب, الأجر, 薪资, 工资, 薪酬, 待遇, 月薪, 薪水, 給与, 給料, 年収, 報酬, 賃金, 급여, 연봉, 임금
    """,
}
