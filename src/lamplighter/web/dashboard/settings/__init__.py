"""The settings pages: general, tags, storage, and the tabs of all settings pages."""
