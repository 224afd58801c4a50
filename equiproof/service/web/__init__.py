"""The HTTP interface; docs/service.md and /openapi.json describe it."""
