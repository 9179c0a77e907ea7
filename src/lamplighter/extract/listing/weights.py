"""How much each piece of evidence counts for the listing of a page. Written by scripts/fit_listing_weights.py.

A region's score is the sum of its evidence, each multiplied by its weight; so is the score for the page having no
listing.
The probability of each is its share of exp(score).
"""

#: for a region being the listing
OF_REGION = {
    "rows": 0.79,  # number of rows, on a logarithmic scale
    "two rows": -1.55,  # there are only two
    "few, not announced": -1.03,  # at most four, and neither the page nor the addresses say jobs, news, products
    "worth": 0.56,  # how little the rows look like the frame of the page
    "in a frame": -1.41,  # share of rows in a menu, a footer, a side bar
    "one pattern": -0.32,  # share of rows whose addresses have the usual form
    "alike": -0.44,  # share of rows with the usual layout
    "uneven": -1.21,  # how much the lengths of rows differ
    "shared addresses": -3.07,  # share of rows whose address another row has
    "outside the main element": -1.78,  # share of rows outside it, if there is one
    "entries of a sub-menu": -2.10,  # share of rows in a list inside an entry that is a link itself
    "entries with a sub-menu": -1.92,  # share of rows with a list of links in them
    "addresses of a kind": 0.34,  # most addresses say jobs, news or products
    "items": 0.75,  # share of addresses with a number or a long name
    "by pattern": -0.43,  # the rows were grouped by their addresses alone
    "by path and pattern": -0.62,  # the rows were grouped by place and address
    "one block of several": -0.56,  # other blocks of the page have the same layout
    "table with known heads": 1.07,  # its heads name a title and something else
    "table rows": 0.98,  # share of rows that are rows of a table
    "articles": 0.53,  # share of rows that are article elements
    "named as items": 0.51,  # share of rows with a class such as result, item, card
    "title length": 0.32,  # mean length of titles, up to 80
    "short titles": -0.61,  # share of titles below ten letters
    "repeated titles": -0.21,  # share of titles that another row has
    "titles of words": 0.26,  # share of titles of three words or more
    "titles are an index": -2.98,  # share of titles that are a letter, a year or a month
    "titles are headings": 0.20,  # share of titles in headings
    "titles are links": 0.27,  # share of titles in links
    "titles are about the page": 0.33,  # share of titles with a word of the page's name or query
    "short and bare": -0.39,  # share of rows that are a short link and nothing else
    "posts of people": -4.04,  # share of rows with a short name and a long text
    "links amid prose": -4.03,  # share of links in a sentence
    "many short and bare": -0.60,  # that share, and the number of rows
    "further text": 0.08,  # text beside the title
    "nothing but a link": -0.22,  # share of rows that are a link and nothing else
    "rows say the same": -3.86,  # share of rows with the words of another row
    "texts": 0.15,  # number of texts in a row
    "dated": 0.44,  # share of rows with a date
    "priced": 0.58,  # share of rows with a price
    "links in a row": -0.05,  # number of links in a row
    "share of text": 0.89,  # share of the page's text in the rows
    "prose around": -1.84,  # running text outside the rows, compared with the rows
    "a story is nearer": -3.25,  # more text than in the rows is nearer to the main heading
    "behind the heading": 0.25,  # the main heading comes first
    "below an announcement": 0.95,  # the heading above says jobs, news, products
    "right below the main heading": 0.71,  # no other heading is between
    "below related": -2.14,  # the heading above says "related", "most read"
    "count is shown": 0.82,  # the page says this number of results
    "like a menu": -1.30,  # no dates, prices or numbers, and called neither jobs nor news nor products
    "in rows of another": -0.29,  # several of its rows are in one row of another region
    "holds another": -0.56,  # each of its rows has several rows of another region
    "part of a larger one": -0.80,  # share of a larger region that it leaves out
    "one column of several": -1.44,  # share of a larger region's links between its own that it leaves out
    "promise": 0.64,  # rows, text and place, compared with the best region
    "near the heading": 0.39,  # no region is nearer to the main heading
    "ways into the site": -3.28,  # departments, other sites, subscription plans
}

#: for the page having no listing
OF_PAGE = {
    "any page": 0.57,  # every page
    "text of the page": 0.55,  # length of all text
    "links of the page": 0.31,  # number of links
    "has a heading": 0.53,  # it has a main heading
    "words of the heading": 0.53,  # a long heading names one thing
    "heading is the name": 0.43,  # the heading is in the title of the page
    "heading announces a list": -0.69,  # the heading says jobs, news, products, events
    "name announces a list": 0.12,  # the title of the page does
    "says that it is empty": 2.09,  # "No vacancies at the moment"
    "name is of a login": 0.57,  # title or heading say "sign in"
    "asks for a password": 0.18,  # there is a field for one
    "fields to fill in": 0.69,  # number of text fields
    "one thing can be bought": 0.41,  # one to three buttons to buy
    "data: an article": 0.61,  # structured data describe one article at this address
    "data: one other thing": 0.56,  # or one thing of another kind
    "data: a single entry": 0.80,  # structured data have one entry
    "head: an article": 0.46,  # og:type is article
    "head: a product": 0.48,  # og:type is product
    "address of an item": 1.30,  # the address has a number or a long name
    "address with a long name": 0.54,  # it ends in four words or more
    "address of the front page": -0.43,  # it has no path
    "depth of the address": 0.63,  # number of its parts
    "address of a search": -1.28,  # it says search, results or query
}
