"""The native library of equiproof and its binding; `equiproof.ffi` imports them, and nothing else should."""
