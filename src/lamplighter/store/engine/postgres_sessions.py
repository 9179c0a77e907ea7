"""The name and the settings of our PostgreSQL sessions."""

#: distinguishes our sessions from others of the same user
APPLICATION_NAME = "lamplighter"
#: a worker that freezes between two statements of a transaction must not keep its locks, nor wait for ever for
#: others' locks; `frozen_sessions` handles workers that freeze within a statement
SETTINGS = {
    "application_name": APPLICATION_NAME,
    "idle_in_transaction_session_timeout": "10000",
    "statement_timeout": "15000",
    # Our statements take milliseconds; JIT compilation takes a hundred, and large tables look costly enough for it.
    "jit": "off",
}
