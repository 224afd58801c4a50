"""One module per command; each imports its rooms when it runs."""
