"""What certificates give away: copies of a model made from simulated certificates, at exact radii and at levels."""
