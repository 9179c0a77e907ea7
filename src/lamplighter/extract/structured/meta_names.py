"""The meaning of the names of meta elements, with their confidence."""

_SURE, _GOOD, _GENERIC = 0.80, 0.75, 0.65

#: field -> names, in lower case, the most reliable first
_NAMES: dict[str, tuple[tuple[float, str], ...]] = {
    "title": (
        (_SURE, "og:title citation_title"),
        (_GOOD, "twitter:title parsely-title sailthru.title dc.title dcterms.title"),
        (_GENERIC, "headline title"),
    ),
    "url": ((_SURE, "og:url"), (_GOOD, "parsely-link twitter:url")),
    "description": (
        (_SURE, "og:description"),
        (_GOOD, "twitter:description sailthru.description citation_abstract dc.description dcterms.description "
                "dcterms.abstract"),
        (_GENERIC, "description"),
    ),
    "published_at": (
        (_SURE, "article:published_time og:published_time og:article:published_time citation_publication_date"),
        (_GOOD, "parsely-pub-date sailthru.date citation_online_date citation_date dcterms.issued dc.date.issued "
                "dc.date dcterms.date dcterms.created dc.date.created"),
        (_GENERIC, "datepublished date_published publish_date publish-date publication_date published pubdate date "
                   "article.published article_date_original"),
    ),
    "updated_at": (
        (_SURE, "article:modified_time og:updated_time og:modified_time"),
        (_GOOD, "dcterms.modified dc.date.modified"),
        (_GENERIC, "last-modified lastmod datemodified date_modified modified revised article.updated"),
    ),
    "author": (
        (_SURE, "article:author og:article:author citation_author citation_authors"),
        (_GOOD, "parsely-author sailthru.author dc.creator dcterms.creator dc.contributor"),
        (_GENERIC, "author article:author_name byl byline"),
    ),
    "section": (
        (_SURE, "article:section og:article:section"),
        (_GOOD, "parsely-section"),
        (_GENERIC, "section"),
    ),
    "tags": (
        (_SURE, "article:tag og:article:tag citation_keywords"),
        (_GOOD, "parsely-tags sailthru.tags dc.subject dcterms.subject news_keywords"),
        (_GENERIC, "keywords"),
    ),
    "organisation": ((_GOOD, "citation_publisher dc.publisher dcterms.publisher"),),
    "language": (
        (_SURE, "og:locale"),
        (_GOOD, "citation_language dc.language dcterms.language"),
        (_GENERIC, "language content-language"),
    ),
    "image": ((_SURE, "og:image og:image:url og:image:secure_url"), (_GOOD, "twitter:image twitter:image:src")),
    "price": (
        (_SURE, "product:sale_price:amount product:price:amount og:price:amount"),
        (_GENERIC, "price"),
    ),
    "currency": ((_SURE, "product:sale_price:currency product:price:currency og:price:currency"),),
    "availability": ((_SURE, "product:availability og:availability"),),
    "brand": ((_SURE, "product:brand og:brand"),),
    "sku": ((_SURE, "product:retailer_item_id product:sku og:sku"),),
}  # fmt: skip

#: name -> field and confidence; of the names of a field the most reliable come first
MEANING = {
    name: (field, confidence)
    for field, ranks in _NAMES.items()
    for confidence, names in ranks
    for name in names.split()
}

#: values of og:type
ARTICLE_TYPES = frozenset("article news newsarticle news.article blogpost blogposting blog_post post story".split())
PRODUCT_TYPES = frozenset("product product.item og:product product:item".split())
JOB_TYPES = frozenset("job jobposting job_posting job-posting job.posting job:posting vacancy".split())
#: names that only the page of a single product has
SIGNS_OF_A_PRODUCT = ("product:price:amount", "og:price:amount", "product:retailer_item_id")
#: names that only the page of a single article has
SIGNS_OF_AN_ARTICLE = (
    "article:published_time og:published_time og:article:published_time article:section article:tag article:author "
    "parsely-pub-date sailthru.date citation_title citation_publication_date datepublished pubdate publish_date "
    "publish-date publication_date dcterms.issued dc.date.issued"
).split()
#: labels of the author in the free pairs of a Twitter card
WRITTEN_BY = frozenset(
    "written by|by|author|verfasst von|geschrieben von|autor|écrit par|auteur|escrito por|autora|scritto da|autore|"
    "geschreven door|napisane przez|skriven av|skrevet av|skrevet af|kirjoittanut|napsal|автор|написано автором|"
    "написав|yazan|بقلم|كُتب بواسطة|作者|著者|執筆者|작성자|글쓴이".split("|")
)
