//go:build prover_checks

package system_test

// randomShapes is how many shapes the lint judges before a release.
const randomShapes = 200
