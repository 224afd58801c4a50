"""One module for each revision of the tables, in their order."""
