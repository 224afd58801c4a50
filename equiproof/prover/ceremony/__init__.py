"""Keys made by several parties, none of whom has to be trusted: files, chain, and what each party does."""
