"""Audits: plug-ins that examine a certified model in plaintext and report on it."""
