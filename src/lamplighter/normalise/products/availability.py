"""Is a product available?

The closed vocabulary: in_stock, out_of_stock, pre_order, back_order, discontinued, limited, online_only, in_store_only.
"""

from lamplighter.normalise.vocabulary import vocabulary, words_of

_LONGEST = 200

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


def read_availability(text: str) -> str | None:
    """The code of schema.org's values or a shop's own words."""
    return _AVAILABILITY.first(words_of(text.rpartition("schema.org/")[2][:_LONGEST]))
