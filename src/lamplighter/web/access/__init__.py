"""Who may ask for what: the guard before every route, and all that it goes by."""
