"""Durable jobs: what is submitted in a transaction is done at least once, whoever is killed in between."""
