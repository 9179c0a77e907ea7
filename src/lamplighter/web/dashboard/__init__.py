"""The pages of the dashboard: they show what operations tell, and hand on what people ask for."""
