"""The console: pages for the lender's own people, made on the server; they need no script."""
