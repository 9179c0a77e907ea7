"""How do processes and people hear of things? Redis, RabbitMQ, SMTP, or the process itself."""
