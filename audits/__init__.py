"""Audits: plug-ins in plaintext over the artefacts that are certified, with a report per model."""
