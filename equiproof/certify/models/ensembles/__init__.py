"""Import of tree ensembles: read into exact fractions, bound to a spec by name, and turned into an additive model."""
