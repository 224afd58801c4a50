package commitment_test

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
	"equiproof/gadget/commitment"
	"equiproof/internal/adversary"
	"equiproof/internal/oracle"
	"equiproof/shape"
)

// tiny is a shape of two inputs, two neurons and one logit.
func tiny() *shape.Shape {
	return &shape.Shape{
		Architecture: shape.Architecture{
			BiasBits: []int{20, 30}, Hidden: []int{2}, Logits: 1, Plain: 1, Sensitive: 1, WeightBits: []int{16, 12},
		},
		Capacity: 2, Format: "equiproof-shape", InputBits: 18, InputFractionBits: 10, RadiusBits: 29, Scheme: "traversal",
		Slices: 2, Version: 2,
	}
}

// opened compiles a digest of wires, whose value is the last wire.
func opened(t *testing.T, wires int,
	digest func(a *bounded.Arith, take *adversary.Wires) (frontend.Variable, error),
) *adversary.Circuit {
	return adversary.Compile(t, wires+1, func(a *bounded.Arith, wires []frontend.Variable) {
		take := &adversary.Wires{Rest: wires}
		found, err := digest(a, take)
		if err != nil {
			t.Fatal(err)
		}
		a.API().AssertIsEqual(found, take.Take(1)[0])
	})
}

// onlyThese tries the values, then each of them one larger, negative and out of the field's small numbers.
func onlyThese(t *testing.T, circuit *adversary.Circuit, values []*big.Int, digest *big.Int) {
	t.Helper()
	circuit.Accepts(t, "honest", adversary.Join(values, digest)...)
	circuit.Refuses(t, "another digest", adversary.Join(values, new(big.Int).Add(digest, big.NewInt(1)))...)
	for i := range values {
		for name, other := range map[string]*big.Int{
			"one more": new(big.Int).Add(values[i], big.NewInt(1)),
			"negative": new(big.Int).Neg(new(big.Int).Add(values[i], big.NewInt(1))),
			"wrapped":  new(big.Int).Add(values[i], new(big.Int).Lsh(big.NewInt(1), 16)),
		} {
			changed := append([]*big.Int{}, values...)
			changed[i] = other
			circuit.Refuses(t, fmt.Sprintf("value %d %s", i, name), adversary.Join(changed, digest)...)
		}
	}
}

func integers(values ...int64) []*big.Int {
	var found []*big.Int
	for _, v := range values {
		found = append(found, big.NewInt(v))
	}
	return found
}

// The model commitment opens to one network, spec digest and blinding only.
func TestModelCommitment(t *testing.T) {
	s := tiny()
	circuit := opened(t, 11, func(a *bounded.Arith, take *adversary.Wires) (frontend.Variable, error) {
		head := take.Take(2)
		layers := take.Layers(a, []int{2, 2}, 16, 20)
		layers = append(layers, take.Layers(a, []int{2, 1}, 16, 30)...)
		return commitment.Model(a, &s.Architecture, head[0], head[1], layers)
	})
	values := integers(77, 1<<60, 3, -4, 32767, -32768, 500000, -5, 1, -1, 1<<28)
	var signed []oracle.Signed
	for i, bits := range []int{16, 16, 16, 16, 20, 20, 16, 16, 30} {
		signed = append(signed, oracle.Signed{Value: values[2+i], Bits: bits})
	}
	packed := oracle.Pack(signed...)
	head := []*big.Int{oracle.Tag("equiproof.model"), big.NewInt(2), big.NewInt(int64(len(packed))), s.Architecture.Digest()}
	digest := oracle.Hash(append(append(head, values[:2]...), packed...)...)
	onlyThese(t, circuit, values, digest)

	// The same packed number out of other weights: 2^16 more of one is 1 more of the next.
	spilled := append([]*big.Int{}, values...)
	spilled[2] = big.NewInt(3 + 1<<16)
	spilled[3] = big.NewInt(-4 - 1)
	circuit.Refuses(t, "a weight of 17 bits that spills over", adversary.Join(spilled, digest)...)
	spilled[2] = new(big.Int).Add(values[2], new(big.Int).ModInverse(big.NewInt(1<<16), fr.Modulus()))
	spilled[3] = new(big.Int).Sub(values[3], new(big.Int).ModInverse(new(big.Int).Lsh(big.NewInt(1), 32), fr.Modulus()))
	circuit.Refuses(t, "fractions that add up to the same", adversary.Join(spilled, digest)...)
}

// The architecture is part of the model commitment: the same numbers under other sizes have another commitment.
func TestModelCommitmentNamesTheArchitecture(t *testing.T) {
	digests := map[string]bool{}
	for _, change := range []func(a *shape.Architecture){
		func(*shape.Architecture) {}, func(a *shape.Architecture) { a.BiasBits = []int{20, 31} },
		func(a *shape.Architecture) { a.Plain, a.Sensitive = 2, 0 }, func(a *shape.Architecture) { a.WeightBits = []int{16, 15} },
		func(a *shape.Architecture) { a.Hidden = []int{1, 1} }, func(a *shape.Architecture) { a.Logits = 2 },
	} {
		architecture := tiny().Architecture
		change(&architecture)
		digests[architecture.Digest().String()] = true
	}
	if len(digests) != 6 {
		t.Errorf("%d digests of 6 architectures", len(digests))
	}
}

// The query's commitment opens to one query and blinding only.
func TestQueryCommitment(t *testing.T) {
	s := tiny()
	circuit := opened(t, 4, func(a *bounded.Arith, take *adversary.Wires) (frontend.Variable, error) {
		return commitment.Query(a, s, take.Take(1)[0], take.Signed(a, 3, 18))
	})
	values := integers(1<<50, -131072, 131071, 0)
	packed := oracle.Pack(oracle.Signed{Value: values[1], Bits: 18}, oracle.Signed{Value: values[2], Bits: 18},
		oracle.Signed{Value: values[3], Bits: 18})
	of := func(length int64) *big.Int {
		head := append([]*big.Int{oracle.Tag("equiproof.query")}, append(integers(2, length, 18, 1), values[0])...)
		return oracle.Hash(append(head, packed...)...)
	}
	digest := of(3)
	onlyThese(t, circuit, values, digest)
	circuit.Refuses(t, "a query of two columns, packed alike", adversary.Join(values, of(2))...)
	circuit.Refuses(t, "spilled over", adversary.Join(values[0], -131072+1<<18, 131070, 0, digest)...)
}

// The domain digest is that of one table, and of the sizes by which the circuit reads it.
func TestDomainDigest(t *testing.T) {
	s := tiny()
	circuit := opened(t, 2, func(a *bounded.Arith, take *adversary.Wires) (frontend.Variable, error) {
		return commitment.Domain(a, s, take.Signed(a, 2, 18))
	})
	values := integers(-1024, 1024)
	packed := oracle.Pack(oracle.Signed{Value: values[0], Bits: 18}, oracle.Signed{Value: values[1], Bits: 18})
	head := append([]*big.Int{oracle.Tag("equiproof.domain")}, integers(2, 1, 1, 2, 10, 18, 1)...)
	onlyThese(t, circuit, values, oracle.Hash(append(head, packed...)...))
	for i := 1; i < len(head); i++ {
		other := append([]*big.Int{}, head...)
		other[i] = new(big.Int).Add(head[i], big.NewInt(1))
		circuit.Refuses(t, fmt.Sprintf("another size at %d", i), adversary.Join(values, oracle.Hash(append(other, packed...)...))...)
	}
	circuit.Refuses(t, "rows swapped", adversary.Join(1024, -1024, oracle.Hash(append(head, packed...)...))...)
}

// With ranges the domain digest has a tag of its own, and the least and largest integers of the columns behind the table.
func TestDomainDigestWithRanges(t *testing.T) {
	s := tiny()
	s.Scheme = shape.Ranging
	circuit := opened(t, 4, func(a *bounded.Arith, take *adversary.Wires) (frontend.Variable, error) {
		return commitment.Domain(a, s, take.Signed(a, 4, 18))
	})
	values := integers(-1024, 1024, -7, 9)
	var signed []oracle.Signed
	for _, value := range values {
		signed = append(signed, oracle.Signed{Value: value, Bits: 18})
	}
	packed, sizes := oracle.Pack(signed...), integers(2, 1, 1, 2, 10, 18, 1)
	digest := func(tag string) *big.Int {
		return oracle.Hash(append(append([]*big.Int{oracle.Tag(tag)}, sizes...), packed...)...)
	}
	onlyThese(t, circuit, values, digest("equiproof.domain.ranges"))
	circuit.Refuses(t, "the tag of a domain without ranges", adversary.Join(values, digest("equiproof.domain"))...)
	circuit.Refuses(t, "ends exchanged", adversary.Join(-1024, 1024, 9, -7, digest("equiproof.domain.ranges"))...)
}

// The statement's digest is that of seven parts in their order, with tag, version, scheme and shape before them.
func TestStatementDigest(t *testing.T) {
	s := tiny()
	circuit := opened(t, 7, func(a *bounded.Arith, take *adversary.Wires) (frontend.Variable, error) {
		a.Unsigned(take.Rest[5], 29)
		w := take.Take(7)
		return commitment.Statement{
			Model: w[0], Spec: w[1], Domain: w[2], Query: w[3], Label: w[4], RadiusSquared: w[5], Context: w[6],
		}.Digest(a.API(), s)
	})
	values := integers(101, 102, 103, 104, 1, 1<<20, 107)
	head := []*big.Int{oracle.Tag("equiproof.statement"), big.NewInt(2), oracle.Tag("traversal"), s.Digest()}
	onlyThese(t, circuit, values, oracle.Hash(append(head, values...)...))
	other := tiny()
	other.Capacity = 4
	head[3] = other.Digest()
	circuit.Refuses(t, "another shape", adversary.Join(values, oracle.Hash(append(head, values...)...))...)
}
