"""What an operator can do: one function per verb, shared by the API, the dashboard and the command line."""
