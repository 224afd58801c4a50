"""The boundary to the Go library: bytes in, bytes out, a status turned into an exception."""
