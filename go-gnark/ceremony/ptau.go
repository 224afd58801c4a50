package ceremony

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/consensys/gnark-crypto/ecc/bn254"
	"github.com/consensys/gnark-crypto/ecc/bn254/fp"
)

// The format of a .ptau file, as snarkjs writes it: a magic word, a version and a number of sections, then the sections, each
// behind its kind and its length. All numbers are little-endian; coordinates are in Montgomery form.
const (
	ptauMagic     = "ptau"
	ptauVersion   = 1
	maxSections   = 64
	sourceMaximum = 28                   // the largest power of a file
	sectionHead   = 4 + 8                // kind and length
	headerBytes   = 4 + fp.Bytes + 4 + 4 // width and value of the modulus, power of the file and of its ceremony
)

// Kinds of sections; those not named here are passed over.
const (
	headerSection = 1 + iota
	tauG1Section
	tauG2Section
	alphaSection
	betaSection
	betaG2Section
)

// ptauFile is a file whose sections were found.
type ptauFile struct {
	file     *os.File
	sections map[uint32]section
	power    int
}

type section struct{ at, length int64 }

// ImportPowers reads the powers of a .ptau file, or the first 2^power of a larger one (0: all), and checks them as
// CheckPowers does. It returns their power, too.
func ImportPowers(path string, power int) (int, []byte, error) {
	p, err := openPtau(path)
	if err != nil {
		return 0, nil, err
	}
	defer p.file.Close()
	if power == 0 {
		power = p.power
	}
	n, err := domain(power)
	if err != nil {
		return 0, nil, err
	}
	if power > p.power {
		return 0, nil, fmt.Errorf("powers for 2^%d cannot be cut to 2^%d", p.power, power)
	}
	commons, err := p.commons(n)
	if err != nil {
		return 0, nil, err
	}
	if err := checkPowers(commons); err != nil {
		return 0, nil, err
	}
	powers, err := written(commons)
	return power, powers, err
}

func openPtau(path string) (*ptauFile, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, withoutPath(err)
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, withoutPath(err)
	}
	p := &ptauFile{file: file, sections: map[uint32]section{}}
	if err = p.index(info.Size()); err == nil {
		if err = p.header(); err == nil {
			err = p.lengths()
		}
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return p, nil
}

// index finds the sections, which must fill a file of this length.
func (p *ptauFile) index(length int64) error {
	head, err := p.read(0, len(ptauMagic)+8)
	if err != nil {
		return err
	}
	version, count := binary.LittleEndian.Uint32(head[4:]), binary.LittleEndian.Uint32(head[8:])
	if string(head[:4]) != ptauMagic || version != ptauVersion || count > maxSections {
		return errors.New("not a .ptau file of version 1")
	}
	at := int64(len(head))
	for range count {
		head, err := p.read(at, sectionHead)
		if err != nil {
			return err
		}
		at += sectionHead
		kind, claimed := binary.LittleEndian.Uint32(head), binary.LittleEndian.Uint64(head[4:])
		if claimed > uint64(length-at) {
			return fmt.Errorf("section %d is longer than the file", kind)
		}
		if _, twice := p.sections[kind]; twice {
			return fmt.Errorf("two sections %d", kind)
		}
		p.sections[kind] = section{at, int64(claimed)}
		at += int64(claimed)
	}
	if at != length {
		return errors.New("extra bytes at the end")
	}
	return nil
}

// header reads the power; another curve is an error, and a ceremony that cannot have made so many powers.
func (p *ptauFile) header() error {
	header := p.sections[headerSection]
	if header.length != headerBytes {
		return fmt.Errorf("the header has %d bytes, want %d", header.length, headerBytes)
	}
	data, err := p.read(header.at, headerBytes)
	if err != nil {
		return err
	}
	modulus := fp.Modulus().FillBytes(make([]byte, fp.Bytes))
	slices.Reverse(modulus)
	if binary.LittleEndian.Uint32(data) != fp.Bytes || !bytes.Equal(data[4:4+fp.Bytes], modulus) {
		return errors.New("not over the curve BN254")
	}
	power := binary.LittleEndian.Uint32(data[4+fp.Bytes:])
	if power < minPower || power > sourceMaximum {
		return fmt.Errorf("power %d is not from %d to %d", power, minPower, sourceMaximum)
	}
	// A file may be cut from that of its ceremony, and never be larger.
	if ceremony := binary.LittleEndian.Uint32(data[4+fp.Bytes+4:]); ceremony < power || ceremony > sourceMaximum {
		return fmt.Errorf("the header states a ceremony of power %d, want %d to %d", ceremony, power, sourceMaximum)
	}
	p.power = int(power)
	return nil
}

// lengths compares those of all sections with powers that are read.
func (p *ptauFile) lengths() error {
	n := int64(1) << p.power
	for _, want := range []struct {
		kind   uint32
		length int64
	}{
		{tauG1Section, (2*n - 1) * rawG1Bytes}, {tauG2Section, n * rawG2Bytes}, {alphaSection, n * rawG1Bytes},
		{betaSection, n * rawG1Bytes}, {betaG2Section, rawG2Bytes},
	} {
		if part := p.sections[want.kind]; part.length != want.length {
			return fmt.Errorf("section %d has %d bytes, want %d for power %d", want.kind, part.length, want.length, p.power)
		}
	}
	return nil
}

// commons reads the first powers, for a domain of n elements.
func (p *ptauFile) commons(n int) (*Commons, error) {
	var err error
	c := new(Commons)
	for _, vector := range []struct {
		kind  uint32
		count int
		to    *[]bn254.G1Affine
	}{{tauG1Section, 2*n - 1, &c.G1.Tau}, {alphaSection, n, &c.G1.AlphaTau}, {betaSection, n, &c.G1.BetaTau}} {
		if *vector.to, err = points(p, vector.kind, vector.count, rawG1Bytes, ptauG1); err != nil {
			return nil, err
		}
	}
	if c.G2.Tau, err = points(p, tauG2Section, n, rawG2Bytes, ptauG2); err != nil {
		return nil, err
	}
	beta, err := points(p, betaG2Section, 1, rawG2Bytes, ptauG2)
	if err != nil {
		return nil, err
	}
	c.G2.Beta = beta[0]
	_, _, g1, g2 := bn254.Generators()
	if !c.G1.Tau[0].Equal(&g1) || !c.G2.Tau[0].Equal(&g2) {
		return nil, refuse(Ratio, "the powers of tau do not start with the generator")
	}
	return c, nil
}

// points reads the first points of a section.
func points[T any](p *ptauFile, kind uint32, count, width int, read func(*T, []byte) error) ([]T, error) {
	data, err := p.read(p.sections[kind].at, count*width)
	if err != nil {
		return nil, err
	}
	list := make([]T, count)
	return list, parallel(count, func(i int) error {
		if err := read(&list[i], data[i*width:(i+1)*width]); err != nil {
			return fmt.Errorf("section %d, point %d: %w", kind, i, err)
		}
		return nil
	})
}

func ptauG1(point *bn254.G1Affine, data []byte) error {
	if err := coordinates(data, &point.X, &point.Y); err != nil {
		return err
	}
	if point.IsInfinity() || !point.IsOnCurve() {
		return errors.New("not on the curve, or at infinity")
	}
	return nil
}

func ptauG2(point *bn254.G2Affine, data []byte) error {
	if err := coordinates(data, &point.X.A0, &point.X.A1, &point.Y.A0, &point.Y.A1); err != nil {
		return err
	}
	if point.IsInfinity() || !point.IsOnCurve() {
		return errors.New("not on the curve, or at infinity")
	}
	if !point.IsInSubGroup() {
		return refuse(Subgroup, "not in the subgroup of prime order")
	}
	return nil
}

// coordinates reads numbers in Montgomery form, as the field keeps them.
func coordinates(data []byte, to ...*fp.Element) error {
	for _, element := range to {
		for limb := range element {
			element[limb] = binary.LittleEndian.Uint64(data)
			data = data[8:]
		}
		// The field keeps its elements in the same form; its functions expect them to be below the modulus.
		if !belowModulus(element) {
			return errors.New("a coordinate is not below the field's modulus")
		}
	}
	return nil
}

// modulus has the limbs of the field's modulus, the lowest first.
var modulus = func() (limbs [fp.Limbs]uint64) {
	bytes := fp.Modulus().FillBytes(make([]byte, fp.Bytes))
	for i := range limbs {
		limbs[i] = binary.BigEndian.Uint64(bytes[fp.Bytes-8*(i+1):])
	}
	return limbs
}()

// belowModulus compares limbs, the highest first.
func belowModulus(limbs *fp.Element) bool {
	for i := len(limbs) - 1; i >= 0; i-- {
		if limbs[i] != modulus[i] {
			return limbs[i] < modulus[i]
		}
	}
	return false
}

// read returns so many bytes of the file.
func (p *ptauFile) read(at int64, length int) ([]byte, error) {
	data := make([]byte, length)
	if _, err := p.file.ReadAt(data, at); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, errors.New("ends too early")
		}
		return nil, withoutPath(err)
	}
	return data, nil
}

// withoutPath returns what is wrong with a file. Its path, which the caller has, may hold line breaks.
func withoutPath(err error) error {
	var failure *os.PathError
	if errors.As(err, &failure) {
		return failure.Err
	}
	return err
}
