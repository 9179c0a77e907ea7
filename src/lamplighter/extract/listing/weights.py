"""How much each piece of evidence counts for the listing of a page. Written by scripts/fit_listing_weights.py.

A region's score is the sum of its evidence, each multiplied by its weight; so is the score for the page having no
listing.
The probability of each is its share of exp(score).
"""

#: for a region being the listing
OF_REGION = {
    "rows": 0.83,  # number of rows, on a logarithmic scale
    "two rows": -1.52,  # there are only two
    "few, not announced": -1.02,  # at most four, and neither the page nor the addresses say jobs, news, products
    "worth": 0.47,  # how little the rows look like the frame of the page
    "in a frame": -1.34,  # share of rows in a menu, a footer, a side bar
    "one pattern": -0.46,  # share of rows whose addresses have the usual form
    "alike": -0.44,  # share of rows with the usual layout
    "uneven": -1.26,  # how much the lengths of rows differ
    "shared addresses": -3.07,  # share of rows whose address another row has
    "outside the main element": -1.92,  # share of rows outside it, if there is one
    "entries of a sub-menu": -2.13,  # share of rows in a list inside an entry that is a link itself
    "entries with a sub-menu": -1.94,  # share of rows with a list of links in them
    "addresses of a kind": 0.37,  # most addresses say jobs, news or products
    "items": 0.66,  # share of addresses with a number or a long name
    "by pattern": -0.50,  # the rows were grouped by their addresses alone
    "by path and pattern": -0.59,  # the rows were grouped by place and address
    "one block of several": -0.65,  # other blocks of the page have the same layout
    "table with known heads": 1.09,  # its heads name a title and something else
    "table rows": 0.94,  # share of rows that are rows of a table
    "articles": 0.47,  # share of rows that are article elements
    "named as items": 0.62,  # share of rows with a class such as result, item, card
    "title length": 0.46,  # mean length of titles, up to 80
    "short titles": -0.64,  # share of titles below ten letters
    "repeated titles": -0.21,  # share of titles that another row has
    "titles of words": 0.39,  # share of titles of three words or more
    "titles are an index": -2.98,  # share of titles that are a letter, a year or a month
    "titles are headings": 0.27,  # share of titles in headings
    "titles are links": 0.37,  # share of titles in links
    "titles are about the page": 0.48,  # share of titles with a word of the page's name or query
    "short and bare": -0.45,  # share of rows that are a short link and nothing else
    "posts of people": -4.00,  # share of rows with a short name and a long text
    "links amid prose": -4.04,  # share of links in a sentence
    "many short and bare": -0.67,  # that share, and the number of rows
    "further text": 0.05,  # text beside the title
    "nothing but a link": -0.20,  # share of rows that are a link and nothing else
    "rows say the same": -3.90,  # share of rows with the words of another row
    "texts": 0.22,  # number of texts in a row
    "dated": 0.43,  # share of rows with a date
    "priced": 0.66,  # share of rows with a price
    "links in a row": -0.24,  # number of links in a row
    "share of text": 0.98,  # share of the page's text in the rows
    "prose around": -2.06,  # running text outside the rows, compared with the rows
    "a story is nearer": -3.18,  # more text than in the rows is nearer to the main heading
    "behind the heading": 0.31,  # the main heading comes first
    "below an announcement": 0.94,  # the heading above says jobs, news, products
    "right below the main heading": 0.55,  # no other heading is between
    "below related": -2.14,  # the heading above says "related", "most read"
    "count is shown": 1.01,  # the page says this number of results
    "like a menu": -1.31,  # no dates, prices or numbers, and called neither jobs nor news nor products
    "in rows of another": -0.21,  # several of its rows are in one row of another region
    "holds another": -0.54,  # each of its rows has several rows of another region
    "part of a larger one": -0.95,  # share of a larger region that it leaves out
    "promise": 0.94,  # rows, text and place, compared with the best region
    "near the heading": 0.52,  # no region is nearer to the main heading
    "ways into the site": -3.30,  # departments, other sites, subscription plans
}

#: for the page having no listing
OF_PAGE = {
    "any page": 0.65,  # every page
    "text of the page": 0.65,  # length of all text
    "links of the page": 0.38,  # number of links
    "has a heading": 0.53,  # it has a main heading
    "words of the heading": 0.56,  # a long heading names one thing
    "heading is the name": 0.42,  # the heading is in the title of the page
    "heading announces a list": -0.67,  # the heading says jobs, news, products, events
    "name announces a list": 0.16,  # the title of the page does
    "says that it is empty": 1.98,  # "No vacancies at the moment"
    "name is of a login": 0.72,  # title or heading say "sign in"
    "asks for a password": 0.23,  # there is a field for one
    "fields to fill in": 0.65,  # number of text fields
    "one thing can be bought": 0.46,  # one to three buttons to buy
    "data: an article": 0.78,  # structured data describe one article at this address
    "data: one other thing": 0.67,  # or one thing of another kind
    "data: a single entry": 0.87,  # structured data have one entry
    "head: an article": 0.33,  # og:type is article
    "head: a product": 0.50,  # og:type is product
    "address of an item": 1.42,  # the address has a number or a long name
    "address with a long name": 0.55,  # it ends in four words or more
    "address of the front page": -0.36,  # it has no path
    "depth of the address": 0.71,  # number of its parts
}
