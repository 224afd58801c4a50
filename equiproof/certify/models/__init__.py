"""Models before they are committed: float networks, training, import, quantisation and what it changes."""
