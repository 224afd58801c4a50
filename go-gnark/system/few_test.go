//go:build !prover_checks

package system_test

// randomShapes is how many shapes the lint judges; many_test.go has the number of a release.
const randomShapes = 6
