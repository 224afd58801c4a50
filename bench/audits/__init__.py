"""Suites of the audits: the papers' tables, with our own models."""
