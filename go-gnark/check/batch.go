package check

import (
	"crypto/rand"
	"fmt"
	"math/big"
	"slices"

	"github.com/consensys/gnark-crypto/ecc"
	"github.com/consensys/gnark-crypto/ecc/bn254"
	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
)

// Many proofs of one key are checked by one equation. Each proof has two,
//
//	e(A, B) = e(alpha, beta) e(L, gamma) e(C, delta),    L = K_0 + x K_1 + H(D) K_2 + D,
//	e(D, -sigma G) e(pok, G) = 1,
//
// so n proofs have 2n in the target group, whose order is a prime. Each is raised to a random number below 2^128 of its own,
// and their product is compared with 1:
//
//	prod e(r_i A_i, B_i) e(-R alpha, beta) e(-sum r_i L_i, gamma) e(-sum r_i C_i, delta)
//	  e(sum s_i D_i, -sigma G) e(sum s_i pok_i, G) = 1,    R = sum r_i.
//
// A proof about a kept model has two commitments, D1 and D2, of which D1 is the same in all. L has the points and hashes of both, and
// the second equation is e(D1, -sigma1 G) e(f D2, -sigma2 G) e(pok, G) = 1 with a factor f of the proof's own; both are still one
// number in the target group.
//
// If one of the 2n is false, then whatever all other numbers are, at most one value of its own number makes the product 1:
// the probability is at most 2^-128. The numbers come from the system, after the proofs: who chooses all proofs, and also
// knows the key's secrets, cannot do better. docs/adr/0019-many-proofs-at-once.md has the argument in full.
//
// The equation is bilinear only on the groups of prime order, so that every point of every proof is read as strictly as for
// a single check. Nothing here says more of one proof than its reader does until judge, the single check, has refused it.

const (
	// randomBytes is the length of a random number.
	randomBytes = 16
	// largestFold is how many proofs one product of pairings is made of, at most: those that are judged one by one if one of
	// them is false. The squarings of a product are shared, so more would save next to nothing.
	largestFold = 32
	// largestPass is how many proofs are held in memory as points.
	largestPass = 1 << 12
)

// fold is what remains of some proofs in the equation above; folds of different proofs are joined by adding up.
type fold struct {
	pairings           bn254.GT    // the product of e(r_i A_i, B_i), before the final exponentiation
	ones, digests      fr.Element  // the factors of K_0 and alpha, and of K_1: sums of r_i and of r_i x_i
	commitments, parts bn254.G1Jac // sums of r_i D_i, over all commitments, and of r_i C_i
	knowledge          bn254.G1Jac // the sum of s_i pok_i
	each               []share     // of each commitment of a proof
}

// share is what remains of one of a proof's commitments in some proofs.
type share struct {
	hashes fr.Element  // the factor of its input point: the sum of r_i H(D_i)
	opened bn254.G1Jac // the sum of s_i D_i, or of s_i f_i D_i
}

func (v *groth16Verifying) verifyBatch(claims []Claim, verdicts []error, threads int) {
	if len(claims) == 1 {
		verdicts[0] = v.verify(claims[0].Digest, claims[0].Proof)
		return
	}
	for at := 0; at < len(claims); at += largestPass {
		end := min(at+largestPass, len(claims))
		v.pass(claims[at:end], verdicts[at:end], threads)
	}
}

// pass writes the verdict on each claim: that of the reader, nil where a fold with the proof holds, or that of judge.
func (v *groth16Verifying) pass(claims []Claim, verdicts []error, threads int) {
	readable := make([]*groth16Claim, len(claims))
	size := min(largestFold, (len(claims)+threads-1)/threads)
	folds := make([]fold, (len(claims)+size-1)/size)
	parallel(len(folds), threads, func(i int) {
		var together []*groth16Claim
		for j := i * size; j < min((i+1)*size, len(claims)); j++ {
			claim, err := v.read(claims[j].Digest, claims[j].Proof)
			if err != nil {
				verdicts[j] = err
				continue
			}
			readable[j], together = claim, append(together, claim)
		}
		folds[i] = v.folded(together)
	})
	doubted := v.doubted(folds, 0, false)
	var alone []int
	for j, claim := range readable {
		if claim == nil {
			continue
		}
		if slices.Contains(doubted, j/size) {
			alone = append(alone, j)
		} else {
			verdicts[j] = nil
		}
	}
	parallel(len(alone), threads, func(i int) { verdicts[alone[i]] = v.judge(readable[alone[i]]) })
}

// doubted returns the places of the folds that do not hold, counted from first. It halves what does not hold together; refuted
// says that this is known already. Where the left half holds, the right one does not: the numbers stay the same, so that the
// product of both is exactly that of the whole.
func (v *groth16Verifying) doubted(folds []fold, first int, refuted bool) []int {
	if !refuted && v.holds(v.joined(folds)) {
		return nil
	}
	if len(folds) == 1 {
		return []int{first}
	}
	half := len(folds) / 2
	left := v.doubted(folds[:half], first, false)
	return append(left, v.doubted(folds[half:], first+half, len(left) == 0)...)
}

// folded draws two random numbers for each proof and adds all proofs up. The proofs were read: they do not depend on the
// numbers.
func (v *groth16Verifying) folded(claims []*groth16Claim) fold {
	n := len(claims)
	f := v.joined(nil)
	if n == 0 {
		return f
	}
	r, s := randoms(n), randoms(n)
	lefts, rights := make([]bn254.G1Affine, n), make([]bn254.G2Affine, n)
	parts, knowledge := make([]bn254.G1Affine, n), make([]bn254.G1Affine, n)
	commitments, factors := make([][]bn254.G1Affine, v.commitments), make([][]fr.Element, v.commitments)
	for i, claim := range claims {
		var factor big.Int
		lefts[i].ScalarMultiplication(&claim.proof.Ar, r[i].BigInt(&factor))
		rights[i], parts[i], knowledge[i] = claim.proof.Bs, claim.proof.Krs, claim.proof.CommitmentPok
		var digest fr.Element
		f.ones.Add(&f.ones, &r[i])
		f.digests.Add(&f.digests, digest.Mul(&r[i], &claim.input))
		found := challenges(claim.proof.Commitments)
		weight := s[i]
		for k := range found {
			if k > 0 {
				factor := folding(found)
				weight.Mul(&weight, &factor)
			}
			commitments[k], factors[k] = append(commitments[k], claim.proof.Commitments[k]), append(factors[k], weight)
			var hash fr.Element
			f.each[k].hashes.Add(&f.each[k].hashes, hash.Mul(&r[i], &found[k]))
		}
	}
	f.pairings, f.parts, f.knowledge = paired(lefts, rights), sum(parts, r), sum(knowledge, s)
	for k := range commitments {
		weighed := sum(commitments[k], r)
		if k == 0 && v.first != nil {
			// One point in all proofs: its factors are added up instead.
			weighed, f.each[k].opened = sum(commitments[k][:1], total(r)), sum(commitments[k][:1], total(factors[k]))
		} else {
			f.each[k].opened = sum(commitments[k], factors[k])
		}
		f.commitments.AddAssign(&weighed)
	}
	return f
}

// total returns the sum of numbers, alone in a list.
func total(numbers []fr.Element) []fr.Element {
	var sum fr.Element
	for i := range numbers {
		sum.Add(&sum, &numbers[i])
	}
	return []fr.Element{sum}
}

// randoms draws numbers below 2^128 from the system's generator.
func randoms(n int) []fr.Element {
	bytes := make([]byte, n*randomBytes)
	if _, err := rand.Read(bytes); err != nil {
		panic(fmt.Sprintf("the system has no random numbers: %v", err))
	}
	numbers := make([]fr.Element, n)
	for i := range numbers {
		numbers[i].SetBytes(bytes[i*randomBytes : (i+1)*randomBytes])
	}
	return numbers
}

// paired returns the product of pairings before the final exponentiation; it fails for lists of different lengths only.
func paired(lefts []bn254.G1Affine, rights []bn254.G2Affine) bn254.GT {
	product, err := bn254.MillerLoop(lefts, rights)
	if err != nil {
		panic(err)
	}
	return product
}

// sum returns the sum of points times their factors, of which there are as many.
func sum(points []bn254.G1Affine, factors []fr.Element) (total bn254.G1Jac) {
	if _, err := total.MultiExp(points, factors, ecc.MultiExpConfig{NbTasks: 1}); err != nil {
		panic(err)
	}
	return total
}

// joined adds folds up.
func (v *groth16Verifying) joined(folds []fold) (all fold) {
	all.pairings.SetOne()
	all.commitments.FromAffine(new(bn254.G1Affine))
	all.parts, all.knowledge = all.commitments, all.commitments
	all.each = make([]share, v.commitments)
	for k := range all.each {
		all.each[k].opened = all.commitments
	}
	for i := range folds {
		f := &folds[i]
		all.pairings.Mul(&all.pairings, &f.pairings)
		all.ones.Add(&all.ones, &f.ones)
		all.digests.Add(&all.digests, &f.digests)
		all.commitments.AddAssign(&f.commitments)
		all.parts.AddAssign(&f.parts)
		all.knowledge.AddAssign(&f.knowledge)
		for k := range all.each {
			all.each[k].hashes.Add(&all.each[k].hashes, &f.each[k].hashes)
			all.each[k].opened.AddAssign(&f.each[k].opened)
		}
	}
	return all
}

// holds evaluates the equation.
func (v *groth16Verifying) holds(f fold) bool {
	factors := []fr.Element{f.ones, f.digests}
	for k := range f.each {
		factors = append(factors, f.each[k].hashes)
	}
	inputs := sum(v.key.G1.K, factors)
	inputs.AddAssign(&f.commitments)
	alphas := sum([]bn254.G1Affine{v.key.G1.Alpha}, []fr.Element{f.ones})
	lefts := []bn254.G1Jac{*alphas.Neg(&alphas), *inputs.Neg(&inputs), *f.parts.Neg(&f.parts), f.knowledge}
	rights := []bn254.G2Affine{v.key.G2.Beta, v.key.G2.Gamma, v.key.G2.Delta, v.key.CommitmentKeys[0].G}
	for k := range f.each {
		lefts, rights = append(lefts, f.each[k].opened), append(rights, v.key.CommitmentKeys[k].GSigmaNeg)
	}
	fixed := paired(bn254.BatchJacobianToAffineG1(lefts), rights)
	pairing := bn254.FinalExponentiation(&fixed, &f.pairings)
	var one bn254.GT
	one.SetOne()
	return pairing.Equal(&one)
}
