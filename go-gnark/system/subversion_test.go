package system_test

import (
	"bytes"
	"math/big"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254"
	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark-crypto/ecc/bn254/fr/pedersen"
	groth16bn254 "github.com/consensys/gnark/backend/groth16/bn254"
	"github.com/consensys/gnark/constraint"
	cs "github.com/consensys/gnark/constraint/bn254"

	"equiproof/relation"
	"equiproof/system"
)

// Whoever makes a key can read a weight from a proof under it, and no check of keys or proofs notices: so nothing may be
// proven under a key whose maker is not known. prover/owner.py refuses such keys before a witness is filled.
//
// The key forgets the circuit. It is made from one identity that all witnesses satisfy, (x m + d + h) y = y (x m + d + h),
// where m is a sum of committed wires that is a weight, d the digest and h the commitment's hash. The commitment is then a
// multiple of m alone: no other committed wire has a point in its basis, and the mask has none either.
func TestKeyThatReadsAWeight(t *testing.T) {
	const secret = -12345
	p := shared(t)
	proving, verifying, base := subverted(t, p.keys, "weights.2")
	prover, err := system.Groth16.Load(p.document, proving)
	if err != nil {
		t.Fatal(err)
	}
	wires, digest := idle(tiny(), big.NewInt(secret).Mod(big.NewInt(secret), fr.Modulus()))
	proof, err := prover.Prove(encoded(p.document, digest, wires))
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := system.Groth16.LoadVerifier(verifying)
	if err != nil {
		t.Fatal(err)
	}
	if err := verifier.Verify(digest.FillBytes(make([]byte, fr.Bytes)), proof); err != nil {
		t.Error(err)
	}
	if found := read(t, proof, base); found != secret {
		t.Errorf("the weight %d is read, and is %d", found, secret)
	}
}

// read finds which of 2^16 multiples of a point a proof's commitment is.
func read(t *testing.T, proof []byte, base bn254.G1Affine) int {
	t.Helper()
	var commitment, guess bn254.G1Affine
	if _, err := commitment.SetBytes(proof[132:164]); err != nil {
		t.Fatal(err)
	}
	for value := range 1 << 16 {
		if guess.Equal(&commitment) {
			return value - 1<<15
		}
		guess.Add(&guess, &base)
	}
	return 1 << 16
}

// subverted makes a key of the tiny circuit that reads a value, and returns with it the point that the value is counted in.
func subverted(t *testing.T, honest *system.Keys, segment string) (proving, verifying []byte, base bn254.G1Affine) {
	t.Helper()
	circuit := relation.New(tiny())
	compiled, err := system.Groth16.Compile(circuit)
	if err != nil {
		t.Fatal(err)
	}
	r1cs := compiled.(*cs.R1CS)
	commitments := r1cs.CommitmentInfo.(constraint.Groth16Commitments)
	pk, vk := new(groth16bn254.ProvingKey), new(groth16bn254.VerifyingKey)
	if _, err := pk.UnsafeReadFrom(bytes.NewReader(honest.Proving)); err != nil {
		t.Fatal(err)
	}
	if _, err := vk.ReadFrom(bytes.NewReader(honest.Verifying)); err != nil {
		t.Fatal(err)
	}
	left := limbs(t, r1cs, wireOf(circuit, segment))
	x := drawn(t)
	for wire, factor := range left {
		left[wire] = *factor.Mul(&factor, &x)
	}
	left[1], left[commitments[0].CommitmentIndex] = fr.One(), fr.One()
	unit := replaced(t, pk, vk, left, commitments)
	keys, err := system.Stored(&honest.Description, pk, vk)
	if err != nil {
		t.Fatal(err)
	}
	return keys.Proving, keys.Verifying, inG1(*unit.Mul(&unit, &x))
}

// replaced makes keys of the one identity left * y = y * left, and returns what the commitments multiply left by.
func replaced(t *testing.T, pk *groth16bn254.ProvingKey, vk *groth16bn254.VerifyingKey, left map[int]fr.Element,
	commitments constraint.Groth16Commitments,
) (unit fr.Element) {
	t.Helper()
	y, alpha, beta, gamma, delta := drawn(t), drawn(t), drawn(t), drawn(t), drawn(t)
	pk.G1.Alpha, pk.G1.Beta, pk.G1.Delta = inG1(alpha), inG1(beta), inG1(delta)
	pk.G2.Beta, pk.G2.Delta = inG2(beta), inG2(delta)
	pk.G1.A, pk.G1.B, pk.G2.B = nil, []bn254.G1Affine{inG1(y)}, []bn254.G2Affine{inG2(y)}
	pk.NbInfinityA, pk.NbInfinityB = uint64(len(pk.InfinityA)-len(left)), uint64(len(pk.InfinityA)-1)
	clear(pk.G1.Z)
	clear(pk.G1.K) // of private wires, only committed ones count

	// (beta A + alpha B + C) / gamma, where B is y for the wire 1 alone, and C is y A
	unit.Add(&beta, &y).Div(&unit, &gamma)
	k := make([]fr.Element, len(pk.InfinityA))
	for wire := range k {
		factor, used := left[wire]
		if pk.InfinityA[wire], pk.InfinityB[wire] = !used, wire != 0; used {
			pk.G1.A = append(pk.G1.A, inG1(factor))
			k[wire].Mul(&factor, &unit)
		}
	}
	k[0].Mul(&alpha, &y).Div(&k[0], &gamma)

	vk.G1.K = []bn254.G1Affine{inG1(k[0]), inG1(k[1])}
	for i, commitment := range commitments {
		sigma := drawn(t)
		var basis pedersen.ProvingKey
		for _, wire := range commitment.PrivateCommitted {
			basis.Basis = append(basis.Basis, inG1(k[wire]))
			var times fr.Element
			basis.BasisExpSigma = append(basis.BasisExpSigma, inG1(*times.Mul(&k[wire], &sigma)))
		}
		pk.CommitmentKeys[i] = basis
		vk.G1.K = append(vk.G1.K, inG1(k[commitment.CommitmentIndex]))
		vk.CommitmentKeys[i].G = inG2(fr.One())
		vk.CommitmentKeys[i].GSigmaNeg = inG2(*sigma.Neg(&sigma))
	}
	vk.G1.Alpha, vk.G1.Beta, vk.G1.Delta = pk.G1.Alpha, pk.G1.Beta, pk.G1.Delta
	vk.G2.Beta, vk.G2.Delta, vk.G2.Gamma = pk.G2.Beta, pk.G2.Delta, inG2(gamma)
	return unit
}

// wireOf returns the first wire of a segment.
func wireOf(circuit relation.Circuit, name string) int {
	at := 2 // behind 1 and the digest
	for _, segment := range circuit.Layout() {
		if segment.Name == name {
			break
		}
		at += segment.Length
	}
	return at
}

// limbs returns the committed wires whose sum, each times its factor, is a private wire and maybe a constant: its range check.
func limbs(t *testing.T, r1cs *cs.R1CS, wire int) map[int]fr.Element {
	t.Helper()
	for _, row := range r1cs.GetR1Cs() {
		out := row.O
		if len(out) == 2 && out[0].WireID() == 0 {
			out = out[1:]
		}
		if len(out) != 1 || out[0].WireID() != wire || len(row.R) != 1 || row.R[0].WireID() != 0 {
			continue
		}
		found := map[int]fr.Element{}
		for _, term := range row.L {
			found[term.WireID()] = r1cs.Coefficients[term.CID]
		}
		return found
	}
	t.Fatal("no range check of this wire")
	return nil
}

func drawn(t *testing.T) (number fr.Element) {
	t.Helper()
	if _, err := number.SetRandom(); err != nil {
		t.Fatal(err)
	}
	return number
}

func inG1(factor fr.Element) (point bn254.G1Affine) {
	point.ScalarMultiplicationBase(factor.BigInt(new(big.Int)))
	return point
}

func inG2(factor fr.Element) (point bn254.G2Affine) {
	point.ScalarMultiplicationBase(factor.BigInt(new(big.Int)))
	return point
}
