"""Research suites: what the audits and the searches behind the product find, measured once for a page of its own."""
