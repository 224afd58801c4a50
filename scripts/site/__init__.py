"""The documentation site: pages of the repository, a reference made from the code, and a check of what was built."""
