"""PROF: provable repair of individual fairness (Ma and others), on the integers that are committed.

Step 1 (:mod:`equiproof.audits.prof.calibrate`) makes the features of similar inputs alike, by gradient descent on their
bounds; step 2 (:mod:`equiproof.audits.prof.program`) changes the last layer as little as possible so that the decision
of every repair point is the same for all inputs similar to it; :mod:`equiproof.audits.prof.repair` joins the two and
re-checks in integers.
"""
