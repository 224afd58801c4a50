"""The process that speaks to the public log: one of a service, and harmless where there are two."""
