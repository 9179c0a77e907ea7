"""What is known: tables, migrations, and one module of SQL per noun. It decides nothing."""
