"""Those who answer the ports; only `app.py` knows them."""
