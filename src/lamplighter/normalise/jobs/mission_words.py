"""The words that give a posting its mission tags, in some twenty languages, for `mission_tags`.

A star: the word is a prefix. An exclamation mark: the word counts in titles and tags only, because descriptions of any
job use it in passing ("university degree", "health insurance", "working environment").
"""

from collections.abc import Mapping

MISSION_WORDS: Mapping[str, str] = {
    "child_protection": """
        child protection, child rights, children s rights, safeguarding!, orphan*, family tracing, kinderschutz*,
        kinderrechte, protection de l enfance, protection des enfants, protección de la infancia, protección infantil,
        derechos de la niñez, proteção da criança, proteção infantil, protezione dei minori, kinderbescherming,
        jeugdbescherming, ochrona dzieci, ochrony dzieci, barnskydd, barnevern*, barnets rättigheter, lastensuojelu*,
        ochrana dětí, защита детей, защиты детей, захист дітей, захисту дітей, çocuk koruma, حماية الطفل, 儿童保护,
        儿童权利, 児童保護, 아동 보호
    """,
    "climate": """
        climate!, climate change, climate action, climate finance, climate adaptation, renewable energy, biodiversity,
        environment!, environmental, nature conservation, conservation!, sustainability!, carbon, greenhouse,
        ecologist, ecosystems, klima!, klimaschutz*, klimawandel*, klimapoliti*, klimaneutral*, umwelt*!,
        umweltschutz*, naturschutz*, erneuerbare, climat!, changement climatique, climatique*, environnement*!,
        biodiversité, énergies renouvelables, cambio climático, climátic*, medio ambiente, medioambient*, ambiental*,
        biodiversidad*, energías renovables, meio ambiente, mudanças climáticas, alterações climáticas,
        cambiamento climatico, biodiversità, ambiente!, klimaat*, milieubeleid, natuurbeheer, ochrona środowiska,
        środowisk*!, zmiany klimatu, klimatu, klimatförändring*, klimatpolitik, miljø*, miljö*, klimaendring*,
        ilmasto*, ympäristö*!, životní prostředí, životního prostředí, климат*, экологи*, клімат*, довкілл*, екологі*,
        iklim, çevre!, المناخ, تغير المناخ, البيئة!, 气候, 氣候, 环境保护, 環境, 気候, 生物多样性, 기후, 환경
    """,
    "communications": """
        communications!, communication!, media relations, public relations, public information, press officer,
        press release*, social media, journalist*, campaigner, copywrit*, editorial, storytelling, pressesprecher*,
        pressearbeit, öffentlichkeitsarbeit, kommunikation!, chargé de communication, chargée de communication,
        relations presse, relations publiques, comunicación!, comunicaciones!, prensa, comunicação!,
        assessoria de imprensa, imprensa, comunicazione!, ufficio stampa, communicatie*!, voorlicht*, komunikacj*!,
        rzecznik prasowy, kommunikatør*, kommunikatör*, pressetalsmand, viestintä*, tiskový mluvčí, пресс секретарь,
        пресс служб*, коммуникаци*!, комунікаці*!, прес секретар, kurumsal iletişim, iletişim!, إعلام, الإعلام, 公关,
        传播!, 広報, 홍보
    """,
    "disaster_risk": """
        disaster risk, disaster risk reduction, disaster preparedness, disaster management, early warning,
        resilience!, drr, emergency preparedness, katastrophenvorsorge, katastrophenschutz*, bevölkerungsschutz,
        risques de catastrophe, gestion des catastrophes, résilience!, gestión de riesgos!, gestión del riesgo,
        riesgo de desastres, desastres, redução de riscos, risco de desastres, protezione civile, rampenbestrijding,
        zarządzanie kryzysowe, krisberedskap*, beredskap*!, katastroferisiko, krizové řízení, снижение риска бедствий,
        стихийных бедствий, цивільний захист, afet yönetimi, afet riski, الحد من مخاطر الكوارث, الكوارث, 减灾, 防灾,
        防災, 재난
    """,
    "economic_development": """
        economic development, livelihood*, poverty reduction, poverty, microfinance, small enterprises, smes,
        trade policy, private sector development, economist, entrepreneurship!, financial inclusion, labour market,
        wirtschaftsförderung, wirtschaftsentwicklung, volkswirt*, armutsbekämpfung, développement économique,
        réduction de la pauvreté, moyens de subsistance, économiste*, desarrollo económico, medios de vida, pobreza,
        economista, microfinanzas, desenvolvimento econômico, desenvolvimento económico, sviluppo economico,
        economische ontwikkeling, rozwój gospodarczy, ekonomista, nationalekonom, näringslivsutveckling, elinkeino*,
        ekonomický rozvoj, экономическое развитие, экономист, економічний розвиток, економіст, ekonomik kalkınma,
        ekonomist, التنمية الاقتصادية, سبل العيش, 经济发展, 扶贫, 経済開発, 경제 개발
    """,
    "education": """
        education!, teacher*, teaching!, school!, schools!, university!, lecturer, curriculum development, literacy,
        pedagog*, professor!, early childhood, educator, bildung*!, bildungsarbeit, schule!, schulen!, schulleit*,
        schulsozial*, lehrer*, lehrkraft, lehrkräfte, erzieher*, dozent*, hochschule!, éducation!, enseignant*, école!,
        écoles!, formateur!, formatrice!, professeur*, educación!, docente*, maestro!, maestra!, profesor*, escuela!,
        escuelas!, educação!, professor*!, escola!, istruzione!, insegnante*, scuola!, onderwijs*!, docent, leraar,
        lerares, leerkracht*, edukacj*!, nauczyciel*, szkoły!, szkole!, lärare, förskollärare, undervisning*!, lærer*,
        underviser*, opettaja*, lastentarhanopettaja*, vzdělávání!, učitel*, учитель*, преподавател*, образовани*!,
        вчитель*, викладач*, освіт*!, öğretmen*, eğitim!, معلم*, التعليم!, 教师, 教師, 教員, 教育!, 教授!, 교사, 교육!
    """,
    "finance_admin": """
        finance!, financial!, accountant, accounting, accounts payable, accounts receivable, budgeting, auditor,
        audit!, treasury, payroll, bookkeep*, human resources!, hr!, recruiter, administrative!, administrator!,
        secretary!, receptionist, office manager, finanzen!, finanzbuchhalt*, buchhalt*, buchhaltung, bilanzbuchhalt*,
        controlling!, controller!, personalwesen, personalreferent*, verwaltung!, sachbearbeit*, sekretär*, comptab*,
        comptable*, ressources humaines!, trésorier*, assistant administratif, assistante administrative, finanzas!,
        contabilidad, contador*, recursos humanos!, administrativo!, administrativa!, finanças!, contabilista*,
        finanza!, contabil*, risorse umane!, boekhoud*, personeelszaken, financiën!, księgow*, finansów!, kadry!,
        ekonomiassistent*, redovisning*, lönespecialist*, regnskap*, regnskab*, kirjanpitäj*, taloushallin*, účetní*,
        mzdov*, бухгалтер*, финансов*!, бухгалтерск*, фінансов*!, muhasebe*, finans!, insan kaynakları, محاسب*,
        المالية!, الموارد البشرية!, 财务!, 会计, 會計, 人力资源!, 経理, 人事!, 회계, 재무, 인사!
    """,
    "food_security": """
        food security, agricultur*, agronom*, nutrition!, nutritionist, malnutrition, hunger, fisheries, smallholder*,
        livestock, food systems, landwirtschaft*, ernährungssicher*, agrar*, sécurité alimentaire, agricole*,
        agriculteur*, élevage, nutrition, seguridad alimentaria, agrícola*, agricultor*, ganader*, nutrición!,
        segurança alimentar, nutrição!, sicurezza alimentare, agricol*, voedselzekerheid, landbouw*, rolnictw*,
        rolnicz*, bezpieczeństwo żywnościowe, jordbruk*, lantbruk*, landbrug*, maatalou*, ruokaturva, zemědělstv*,
        zeměděls*, сельскохозяйств*, сельского хозяйства, продовольственн*, сільського господарства, продовольч*,
        tarım*, gıda güvenliği, الأمن الغذائي, الزراعة, زراعي*, 粮食安全, 农业, 農業, 食料, 농업, 식량
    """,
    "gender": """
        gender!, gender equality, gender based violence, gender mainstreaming, gbv, women s empowerment, women s rights,
        women and girls, feminis*, gleichstellungs*, geschlechtergerecht*, frauenrechte, égalité des genres,
        égalité des sexes, violences basées sur le genre, droits des femmes, genre et, igualdad de género,
        enfoque de género, violencia de género, derechos de las mujeres, género!, igualdade de gênero,
        igualdade de género, violência de gênero, parità di genere, violenza di genere, gendergelijkheid, równość płci,
        równouprawnieni*, jämställdhet*, likestilling*, ligestilling*, tasa arvo*, rovnost pohlaví, genderov*, гендер*,
        toplumsal cinsiyet, المساواة بين الجنسين, النوع الاجتماعي, 性别平等, 性別!, ジェンダー, 젠더, 성평등
    """,
    "governance": """
        governance!, good governance, public administration, anti corruption, anticorruption, elections, electoral,
        civil society, democracy, decentrali*, public policy!, parliament*, local government, regierungsführung,
        demokratieförderung, zivilgesellschaft*, korruptionsbekämpfung, gouvernance!, société civile, élections,
        décentralisation, gobernanza!, sociedad civil, democracia, elecciones, lucha contra la corrupción, governança!,
        governação, sociedade civil, società civile, openbaar bestuur, maatschappelijk middenveld,
        administracja publiczna, samorząd*, społeczeństwo obywatelskie, demokrati!, offentlig förvaltning,
        civilsamhäll*, sivilsamfunn*, julkishallin*, kansalaisyhteiskun*, veřejná správa, občanská společnost,
        государственное управление, гражданского общества, борьба с коррупцией, врядуванн*, громадянського суспільства,
        yönetişim, sivil toplum!, الحوكمة, المجتمع المدني, 治理, 反腐, ガバナンス, 거버넌스
    """,
    "health": """
        health!, public health, health systems, health facilities, healthcare!, medical!, medicine!, nurse, nurses,
        nursing, doctor!, physician, midwife, midwives, midwifery, epidemi*, hospital!, clinic!, clinical!, vaccin*,
        hiv, malaria, tuberculosis, pharmacist, physiotherap*, psychologist, surgeon, paramedic, mental health!,
        gesundheit*!, gesundheitswesen, pflege!, pflegefach*, pflegekraft, pflegekräfte, pflegehelf*, pflegedienst*,
        krankenpfleg*, altenpfleg*, arzt, ärztin, krankenschwester, krankenhaus, klinik!, medizin*!, hebamme*, santé!,
        santé publique, médecin*, médical*!, infirmi*, aide soignant*, sage femme*, pharmacien*, salud!,
        salud pública, médico!, médica!, enfermer*, partera*, saúde!, saúde pública, enfermeir*, sanità!, infermier*,
        ostetric*, gezondheid*!, verpleeg*, verzorgende, huisarts, ziekenhuis*!, zdrowi*!, pielęgniar*, lekarz*,
        hälsa!, sjuksköter*, undersköter*, läkare, helse*!, sykeplei*, lege!, sundhed*!, sygeplej*, læge, terveys*!,
        sairaanhoita*, lähihoita*, lääkäri*, zdravotn*!, lékař*, zdravotní sestra, здравоохранени*, медицин*!, врач*,
        медсестр*, медицинская сестра, лікар*, охорони здоров, sağlık!, hemşire*, hekim, الصحة!, الصحة العامة, طبيب*,
        ممرض*, 卫生!, 公共卫生, 医疗!, 护士, 護士, 看護, 医師, 医生, 보건, 의료!, 간호
    """,
    "human_rights": """
        human rights, disability inclusion, rights of persons with disabilities, transitional justice, civil rights,
        menschenrecht*, droits de l homme, droits humains, derechos humanos, direitos humanos, diritti umani,
        mensenrechten, prawa człowieka, praw człowieka, mänskliga rättigheter, menneskerett*, ihmisoikeu*,
        lidská práva, lidských práv, прав человека, права человека, прав людини, права людини, insan hakları,
        حقوق الإنسان, 人权, 人權, 人権, 인권
    """,
    "humanitarian": """
        humanitarian, humanitarian aid, humanitarian response, emergency response, relief!, camp management, cccm,
        emergencies!, humanitär*, nothilfe*, katastrophenhilfe, humanitaire*, réponse d urgence, urgences!, humanitari*,
        ayuda humanitaria, emergencias!, humanitári*, ajuda humanitária, aiuti umanitari, noodhulp, humanitaire hulp,
        pomoc humanitarna, pomocy humanitarnej, humanitarn*, katastrofbistånd, nødhjelp*, nødhjælp*, humanitaari*,
        гуманитарн*, гуманітарн*, insani yardım, الإنسانية, المساعدات الإنسانية, الإغاثة, 人道, 인도주의, 인도적
    """,
    "legal": """
        legal!, lawyer, attorney, legal counsel, counsel!, jurist*, paralegal, judge!, prosecutor, litigation,
        law clerk, compliance officer, solicitor, legal advice, rechtsanw*, rechtsabteilung, rechtsberatung,
        syndikus*, volljurist*, juriste*, avocat*, juridique!, abogad*, jurídico!, jurídica!, advogad*, avvocat*,
        giurist*, ufficio legale, advocaat, juridisch!, prawnik*, radca prawny, prawny!, juridisk!, advokat*,
        lakimies, lakimiehe*, právník*, advokát*, юрист*, адвокат*, юридическ*!, юридичн*!, avukat*, hukuk!, محامي*,
        قانوني*!, 律师, 法务, 法務, 弁護士, 변호사, 법무
    """,
    "logistics_procurement": """
        logistics!, logistician, supply chain, procurement!, warehouse*!, fleet management, purchasing, buyer!,
        transport!, driver!, storekeeper, logistik*!, einkauf!, einkäufer*, beschaffung!, lagerist*, lagerlogistik,
        kraftfahrer*, berufskraftfahrer*, fahrer!, logisticien*, logistique!, achats!, acheteur*, approvisionnement*,
        chauffeur!, magasinier*, logístic*!, compras!, adquisiciones!, almacén, almacenista, conductor!, aquisições!,
        motorista!, logistica!, ufficio acquisti, approvvigionament*, magazziniere*, autista!, inkoop*!, inkoper,
        magazijn*, zakup*!, magazynier*, zaopatrzeni*, kierowca!, logistyk*, inköp*!, inköpare, upphandl*, innkjøp*,
        indkøb*, hankinta*!, varastotyö*, kuljettaja!, nákupčí, skladník*, řidič!, логист*, закупк*!, закупок,
        снабжени*, водитель!, кладовщик, логіст*, закупів*, водій!, lojistik!, satın alma!, şoför, اللوجست*, لوجست*,
        المشتريات!, سائق!, 物流, 采购, 採購, 調達, 물류, 구매!
    """,
    "migration": """
        migration officer, migration policy, migration management, international migration, labour migration,
        migration and, forced migration, refugee*, migrants, asylum, displaced, displacement, resettlement, idps,
        flüchtling*, geflüchtet*, asylverfahren, asylsuchende*, migrationsberat*, migrationsfach*, réfugié*, migrations,
        demandeurs d asile, déplacés, refugiad*, migración!, migraciones, migrantes, solicitantes de asilo, desplazad*,
        migração!, migrações, rifugiat*, richiedenti asilo, vluchteling*, asielzoeker*, uchodźc*, cudzoziemc*,
        flykting*, flyktning*, flygtning*, pakolais*, maahanmuut*, turvapaik*, uprchl*, беженц*, миграционн*, біженц*,
        міграційн*, mülteci*, göçmen*, اللاجئين, لاجئ*, الهجرة!, 难民, 難民, 移民, 난민, 이주!
    """,
    "monitoring_evaluation": """
        monitoring and evaluation, monitoring evaluation, m e officer, m e specialist, m e manager, m e, meal officer,
        meal coordinator, evaluator, evaluation!, impact evaluation, impact assessment, indicators,
        monitoring und evaluierung, evaluierung*!, wirkungsmessung, suivi et évaluation, suivi évaluation, évaluation!,
        évaluateur*, monitoreo y evaluación, monitoreo!, seguimiento y evaluación, evaluación!, monitoria e avaliação,
        monitoramento e avaliação, avaliação!, monitoraggio e valutazione, evaluatie!, monitoring i ewaluacja, ewaluac*,
        utvärdering*, evaluering!, seuranta ja arviointi, мониторинг и оценка, мониторинга и оценки, моніторинг*!,
        izleme ve değerlendirme, الرصد والتقييم, المتابعة والتقييم, 监测与评估, 监测评估, モニタリング, 모니터링
    """,
    "peace_security": """
        peace!, peacebuilding, peace building, peacekeeping, mediation!, conflict resolution!, conflict prevention,
        mine action, demining, disarmament, ddr, security sector reform, counter terrorism, friedens*,
        friedensförderung, konfliktbearbeitung, abrüstung*, minenräumung, maintien de la paix,
        consolidation de la paix, déminage, désarmement, construcción de paz, mantenimiento de la paz, desminado,
        desarme, construção da paz, manutenção da paz, peacekeeper*, sminamento, disarmo, costruzione della pace,
        vredesmissie*, vredesopbouw, budowanie pokoju, rozbrojen*, fredsbygg*, fredsbevar*, fredsarbete, nedrustning*,
        rauhantur*, rauhanrak*, mírov*, миротворч*, разминировани*, миробудуванн*, розмінуванн*, barış inşası,
        barışı koruma, حفظ السلام, بناء السلام, نزع السلاح, إزالة الألغام, 和平, 维和, 扫雷, 平和構築, 평화
    """,
    "technology_data": """
        software, developer, software engineer*, data engineer*, data scientist, data science, data analyst, data!,
        database*, devops, programmer, programming, cybersecurity, cyber security, information technology!, ict!,
        it officer, it specialist, it support, web developer, machine learning, artificial intelligence, cloud!,
        network engineer, system administrator, systems administrator, sysadmin, gis, statistician, full stack,
        frontend, backend, javascript, python, java, sql, softwareentwickl*, entwickler!, informatiker*,
        fachinformatiker*, datenanaly*, datenbank*, datenwissenschaft*, systemadministrat*, développeu*,
        informatique!, informaticien*, ingénieur logiciel, desarrollador*, informátic*!, programador*,
        ciencia de datos, desenvolvedor*, ciência de dados, sviluppator*, programmator*, informatico!, ontwikkelaar!,
        programmeur*, programist*, informatyk*, baz danych, utvecklare!, systemutveckl*, mjukvaru*, utvikler!,
        udvikler!, ohjelmisto*, sovelluskehit*, vývojář*, programátor*, программист*, разработчик!, базы данных,
        програміст*, розробник!, yazılım*, veri bilimi, مبرمج*, مطور*, برمجيات, 软件, 軟體, 程序员, 数据!, 大数据,
        エンジニア!, プログラマ, データサイエン, 개발자, 데이터!, 소프트웨어
    """,
    "water_sanitation": """
        water and sanitation, wash officer, wash specialist, wash coordinator, wash engineer, wash cluster,
        wash programme, wash program, wash manager, sanitation, hygiene promotion, water supply, drinking water!,
        water resources, hydrolog*, hydrogeolog*, water engineer, wastewater, wasserversorgung*, trinkwasser*,
        abwasser*, siedlungswasser*, wasserwirtschaft*, eau et assainissement, eau hygiène et assainissement,
        assainissement, eau potable, agua y saneamiento, saneamiento, agua potable, água e saneamento, saneamento,
        água potável, acqua potabile, risorse idriche, acque reflue, drinkwater*, afvalwater*, wodociąg*, kanalizacj*,
        vattenförsörjning*, vannforsyning*, vandforsyning*, vesihuolto*, vodovod*, kanalizac*, водоснабжени*,
        водоотведени*, водопостачанн*, su ve sanitasyon, içme suyu, المياه والصرف الصحي, مياه الشرب, 水与卫生, 供水,
        饮用水, 水と衛生, 上下水道, 식수, 상하수도
    """,
}
