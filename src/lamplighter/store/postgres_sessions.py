"""How our sessions with PostgreSQL call themselves, and what holds in them."""

#: by which our sessions are told from others of the same user
APPLICATION_NAME = "lamplighter"
#: a worker that was stopped between two statements of a transaction must not keep its locks from the others, nor wait
#: for ever for theirs; one that was stopped within a statement is a case of its own (see `frozen_sessions`)
SETTINGS = {
    "application_name": APPLICATION_NAME,
    "idle_in_transaction_session_timeout": "10000",
    "statement_timeout": "15000",
    # Our statements take milliseconds; compiling one takes a hundred, and large tables look costly enough for it.
    "jit": "off",
}
