"""What certificates give away: copies of a model from simulated ones, at radii, at levels, from ways and nones."""
