"""The public register: entries, receipts, what watches a log, and audits by lot; no mathematics of certificates."""
