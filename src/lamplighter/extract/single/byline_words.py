"""Words and patterns of bylines and dates of publication, in many languages."""

import re

#: elements that contain an author's name
SIGNED = (
    "[rel~=author], [itemprop~=author], [class*=byline i], [class*=author i], a[href*='/author' i], a[href*='/autor' i]"
    ", a[href*='/auteur' i]"
)
#: words before an author's name
BY = re.compile(
    r"^(?:(?:written |posted |published |words |story |report )?by|von|par|por|door|di|av|af|autorin|autore|autora?"
    r"|auteure?|text|author|redaktion|tekst|kirjoittaja|skribent|yazan|yazar|muhabir|автор|текст|بقلم|كتب|作者|記者"
    r"|记者|文|글|기자)(?:\s*[:\uff1a/]\s*|\s+)(?=\S)",
    re.IGNORECASE,
)
#: where a name ends and a date, a place or a count begins
AFTER_NAME = re.compile(r"\s+[|\u2022\u00b7\u2013\u2014]\s+|\s*[|\u2022\u00b7]\s*|\s+on\s+(?=\d|[A-Z])|,?\s+(?=\d)|\n")
NO_NAME = re.compile(
    r"[\d@<>{}=?!]|https?:|\.(?:com|org|net)\b|\b(?:comments?|posts?|share|follow|view all|all articles|read more)\b",
    re.IGNORECASE,
)

#: separators of a line such as "By Jane Doe · 4 March 2026 · 5 min read", or before a label in it
PIECES = re.compile(r"\s*[|\u2022\u00b7]\s*|\s+[-/\u2013\u2014]\s+|\s+(?=[\u3040-\u9fff\uac00-\ud7af]{2,12}[:\uff1a])")
BARS = re.compile(r"[|\u2022\u00b7]")
#: class names of texts by others than the author
QUOTED = re.compile(r"testimonial|review|comment|quote|feedback", re.IGNORECASE)
#: how news agencies begin: "GENEVA, 4 March 2026 - The pier"
DATELINE = re.compile(r"^[^\d.!?]{0,40}?[,(]?\s*(?=\d|\w{3,10}\.? \d)")
#: words before a date of publication, and of update
PUBLISHED = re.compile(
    r"publi(?:shed|c|é|e)|posted|date\b|veröffentlicht|erschienen|datum|fecha|data\b|pubblicat|geplaatst"
    r"|gepubliceerd|publicerad|udgivet|publisert|julkaistu|opublikowan|zveřejněn|опубликован|дата|yay\u0131n|tarih|نشر|تاريخ"
    r"|发布|發布|公開|掲載|작성|등록|입력"
    # the name of a release says as much: "Press release no. 58 of 12 May 2026"
    r"|press(?:e|e-)? ?(?:release|mitteilung|information|meddelelse|melding)|medien(?:mitteilung|information)"
    r"|communiqué|comunicado|comunicato|nota (?:de prensa|à imprensa|stampa)|persbericht|pressmeddelande|tiedote"
    r"|informacja prasowa|tisková zpráva|пресс-релиз|прес-реліз|basın bülteni|بيان صحفي|新闻稿|新聞稿|보도자료",
    re.IGNORECASE,
)
UPDATED = re.compile(
    r"updated|modified|revised|reviewed|effective|aktualisiert|geändert|\bstand\b|mis à jour|modifié|actualizad"
    r"|modificad|atualizad|aggiornat|bijgewerkt|uppdatera|oppdatert|opdateret|päivitetty|aktualiz|обновлен|оновлен|güncelle|تحديث|更新|수정",
    re.IGNORECASE,
)
