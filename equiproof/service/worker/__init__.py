"""The process that has certificates made; it alone of the service loads keys and the Go library, in its children."""
