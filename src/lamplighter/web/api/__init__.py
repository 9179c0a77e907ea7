"""The API: thin routers that parse a request, call one operation and format the response."""
