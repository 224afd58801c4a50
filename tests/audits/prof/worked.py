"""The paper's worked example: two inputs, two features, one logit; its sets by hand and by the product's own bounds."""

import numpy as np

from equiproof.audits.prof.sets import Box, Points, Polytope

WEIGHTS = np.array([[-0.1, -0.1]])
BIASES = np.array([1.0])
FEATURES = Box(np.zeros(2), np.array([14.0, 14.0]))
INPUTS = Box(np.array([0.0, -1.0]), np.array([8.0, 1.0]))
SIGNS = np.array([[1.0, 6.0], [1.0, -6.0]])
SYMBOLIC = Polytope(FEATURES, INPUTS, (np.zeros((2, 2)), np.zeros(2)), (0.7 * SIGNS, np.array([4.2, 4.2])))
# Corners of the input box and of the two lines x1 = +-6 x2: the features are linear between them.
CORNERS = np.array([[0, 0], [0, -1], [0, 1], [8, -1], [8, 1], [6, -1], [6, 1]], dtype=float)
EXACT = Points(np.maximum(CORNERS @ SIGNS.T, 0.0))
