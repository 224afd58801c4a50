"""Proofs for many applicants: a table in; certificates, and a manifest of all of them, out."""
