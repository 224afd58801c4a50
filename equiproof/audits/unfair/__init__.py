"""The share of a whole domain that is decided by sensitive values alone: an interval in exact numbers, at any time."""
