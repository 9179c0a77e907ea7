"""The price of a product, its availability and its rating, with the shop's own text beside them."""

import re
from collections.abc import Mapping
from typing import Any

from lamplighter.normalise.fields import PageContext, clean_text
from lamplighter.normalise.products.money import currency_of, read_price
from lamplighter.normalise.vocabulary import vocabulary, words_of

_LONGEST = 200

_MOST_REVIEWS = 10**9
_NUMBER = r"[0-9]{1,9}(?:[.,][0-9]{1,6})?"
_OUT_OF = re.compile(rf"({_NUMBER})\s*(?:(?:/|of|out of|von|sur|de|su|van|av|af|z|из)\s*({_NUMBER}))?(?:\s*[^\W\d_]+)?")
_COUNT = re.compile(r"[0-9]{1,3}(?:[., \u00a0\u202f'’][0-9]{3})+|[0-9]+")
#: the best possible rating where a page does not say it
_BEST = (5.0, 10.0, 100.0)


# The first that is found wins: "not in stock" contains "in stock", so negations come first.
_AVAILABILITY = vocabulary(
    {
        "discontinued": """
            discontinued, no longer available, no longer sold, nicht mehr lieferbar, nicht mehr erhältlich,
            eingestellt, n est plus disponible, plus commercialisé, descatalogado, descontinuado, fuori produzione,
            niet meer leverbaar, uit assortiment, wycofan*, utgått, udgået, utgår, снят с производства,
            знято з виробництва, 停产, 販売終了, 生産終了, 단종
        """,
        "out_of_stock": """
            out of stock, outofstock, sold out, soldout, not available, unavailable, currently unavailable,
            not in stock, ausverkauft, nicht auf lager, nicht verfügbar, nicht lieferbar, nicht vorrätig, vergriffen,
            rupture, en rupture, rupture de stock, épuisé, non disponible, indisponible, agotado, agotada,
            sin existencias, no disponible, sin stock, esgotado, esgotada, indisponível, sem estoque, sem stock,
            esaurito, esaurita, non disponibile, uitverkocht, niet op voorraad, niet leverbaar, niet beschikbaar,
            brak w magazynie, niedostępn*, wyprzedan*, slut i lager, slutsåld, ej i lager, ikke på lager, utsolgt,
            udsolgt, ei varastossa, loppu, loppunut, loppuunmyyty, vyprodáno, není skladem, nedostupn*, нет в наличии,
            нет на складе, распродано, немає в наявності, закінчився, stokta yok, tükendi, tükenmiştir, غير متوفر,
            نفذت الكمية, 缺货, 缺貨, 售罄, 无货, 無貨, 在庫なし, 在庫切れ, 売り切れ, 品切れ, 품절, 재고 없음
        """,
        "pre_order": """
            pre order, preorder, pre sale, presale, vorbestell*, vorverkauf, précommand*, preventa,
            reserva anticipada, pré venda, prenot*, preordin*, reserveer nu, przedsprzedaż, förbeställ*, förhandsbok*,
            forudbestil*, forhåndsbestill*, ennakkotila*, předobjedn*, предзаказ, передзамовлення, ön sipariş, 预售,
            預購, 予約, 예약판매
        """,
        "back_order": """
            back order, backorder, backordered, on order, nachbestellt, wird nachgeliefert, lieferbar ab,
            en réapprovisionnement, sur commande, bajo pedido, sob encomenda, su ordinazione, in bestelling,
            na zamówienie, beställningsvara, bestillingsvare, tilaustuote, na objednávku, под заказ, під замовлення,
            取り寄せ, 입고예정
        """,
        "limited": """
            limited, limitedavailability, limited availability, low stock, few left, only a few left, last items,
            last pieces, wenige verfügbar, nur noch wenige, geringer bestand, derniers exemplaires, stock limité,
            stock faible, últimas unidades, pocas unidades, ultimi pezzi, laatste stuks, ostatnie sztuki, få kvar,
            få på lager, vain muutama, poslední kusy, мало осталось, закінчується, son ürünler, 库存紧张, 残りわずか,
            품절임박
        """,
        "online_only": """
            online only, onlineonly, only online, nur online, uniquement en ligne, exclusivité web, solo online,
            sólo online, alleen online, tylko online, endast online, kun på nett, kun online, vain verkosta,
            pouze online, только онлайн, 仅限网上, オンライン限定, 온라인 전용
        """,
        "in_store_only": """
            in store only, instoreonly, only in store, nur im laden, nur in der filiale, uniquement en magasin,
            solo en tienda, solo in negozio, alleen in de winkel, 店舗限定
        """,
        "in_stock": """
            in stock, instock, available, available now, ready to ship, auf lager, lagernd, verfügbar, lieferbar,
            sofort lieferbar, vorrätig, en stock, disponible, hay existencias, en existencia, em estoque, em stock,
            disponível, disponibile, in magazzino, op voorraad, leverbaar, beschikbaar, w magazynie, dostępn*,
            na stanie, i lager, finns i lager, på lager, varastossa, saatavilla, skladem, dostupné, в наличии,
            на складе, в наявності, є в наявності, stokta, stokta var, mevcut, متوفر, 有货, 有貨, 现货, 現貨,
            在庫あり, 재고 있음
        """,
    }
)


def price_fields(given: Mapping[str, Any], seen: PageContext) -> dict[str, Any]:
    """price, price_max, currency, and the original texts where they differ."""
    found: dict[str, Any] = {}
    value = given.get("price")
    price = read_price(value, seen)
    if price is not None:
        found |= {"price": price.lowest, "price_max": price.highest}
    if isinstance(value, str) and not (price is not None and _is_plain(value, price.lowest)):
        found["price_raw"] = clean_text(value, longest=_LONGEST)
    said = clean_text(given.get("currency"), longest=_LONGEST)
    found["currency"] = currency_of(said, seen) or (currency_of(price.sign, seen) if price else None)
    if said and said.upper() != found["currency"]:
        found["currency_raw"] = said
    return {name: value for name, value in found.items() if value is not None}


def _is_plain(text: str, price: float) -> bool:
    """Whether the text is the number itself, as machines write it."""
    try:
        return float(text) == price
    except ValueError:
        return False


def read_rating(value: Any) -> float | None:
    """The rating out of five; None when the value has none."""
    if isinstance(value, Mapping):
        return _out_of_five(_number(value.get("value")), _number(value.get("best")))
    if not isinstance(value, str):
        return _out_of_five(_number(value), None)
    found = _OUT_OF.fullmatch(value.strip()[:50])
    return _out_of_five(_number(found[1]), _number(found[2])) if found else None


def read_review_count(value: Any) -> int | None:
    """How many reviews or ratings there are; None when the value has no number."""
    if isinstance(value, str):
        found = _COUNT.search(value[:50])
        value = int(re.sub(r"\D", "", found[0])) if found else None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_REVIEWS
    return value if is_count else None


def _out_of_five(rating: float | None, best: float | None) -> float | None:
    if rating is None or rating < 0:
        return None
    best = best or next((usual for usual in _BEST if rating <= usual), None)
    if best is None or best <= 0 or rating > best:
        return None
    return round(rating * 5 / best, 2)


def _number(value: Any) -> float | None:
    if isinstance(value, str):
        plain = value.strip().replace(",", ".")
        return float(plain) if re.fullmatch(r"[0-9]{1,9}(?:\.[0-9]{1,6})?", plain) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if -1e9 < value < 1e9 else None


def read_availability(text: str) -> str | None:
    """The code of schema.org's values or a shop's own words."""
    return _AVAILABILITY.first(words_of(text.rpartition("schema.org/")[2][:_LONGEST]))
