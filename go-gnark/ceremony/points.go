package ceremony

import (
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/consensys/gnark-crypto/ecc/bn254"
)

// Widths of points, compressed and not.
const (
	g1Bytes    = bn254.SizeOfG1AffineCompressed
	g2Bytes    = bn254.SizeOfG2AffineCompressed
	rawG1Bytes = bn254.SizeOfG1AffineUncompressed
	rawG2Bytes = bn254.SizeOfG2AffineUncompressed
)

// The two highest bits of a point's first byte say how it is written; they are zero where it is not compressed.
const (
	flagShift = 6
	flagRaw   = 0
)

// affine is a pointer to a point of either group.
type affine[T any] interface {
	*T
	SetBytes(data []byte) (int, error)
	IsOnCurve() bool
	IsInfinity() bool
}

// encoding is how a list's points are written, and whether one may be at infinity.
type encoding struct {
	raw, infinite bool
}

// decoded reads points of one width, on all cores. A point outside the subgroup is refused; coordinates not below the
// modulus, points off the curve, in another form, and at infinity where none may be are malformed.
func decoded[T any, P affine[T]](data []byte, width int, form encoding) ([]T, error) {
	points := make([]T, len(data)/width)
	return points, parallel(len(points), func(i int) error {
		if err := decodeOne[T, P](&points[i], data[i*width:(i+1)*width], form); err != nil {
			return fmt.Errorf("point %d: %w", i, err)
		}
		return nil
	})
}

func decodeOne[T any, P affine[T]](point P, data []byte, form encoding) error {
	if raw := data[0]>>flagShift == flagRaw; raw != form.raw {
		return errors.New("not in the form that is wanted")
	}
	_, err := point.SetBytes(data)
	switch {
	case err == nil && (form.infinite || !point.IsInfinity()):
		return nil
	case err != nil && !point.IsInfinity() && point.IsOnCurve():
		return refuse(Subgroup, "not in the subgroup of prime order")
	case err == nil:
		return errors.New("at infinity")
	default:
		return errors.New("not on the curve, or a coordinate is not below the field's modulus")
	}
}

// parallel calls a function for each index below n, on all cores, and returns an error of the lowest index that has one
// in its share.
func parallel(n int, do func(i int) error) error {
	shares := min(runtime.NumCPU(), n)
	failed := make([]error, shares)
	var running sync.WaitGroup
	for share := range shares {
		running.Go(func() {
			for i := share * n / shares; i < (share+1)*n/shares && failed[share] == nil; i++ {
				failed[share] = do(i)
			}
		})
	}
	running.Wait()
	for _, err := range failed {
		if err != nil {
			return err
		}
	}
	return nil
}

// reader walks through bytes and stops at the first error.
type reader struct {
	data []byte
	err  error
}

// take returns the next bytes, or nothing where fewer are left.
func (r *reader) take(name string, length int) []byte {
	if r.err == nil && len(r.data) < length {
		r.err = fmt.Errorf("ends within %s", name)
	}
	if r.err != nil {
		return nil
	}
	taken := r.data[:length]
	r.data = r.data[length:]
	return taken
}

// list passes over the next points and returns the first of them.
func list[T any, P affine[T]](r *reader, name string, count, of, width int, form encoding) []T {
	data := r.take(name, of*width)
	if r.err != nil {
		return nil
	}
	points, err := decoded[T, P](data[:count*width], width, form)
	if err != nil {
		r.err = fmt.Errorf("%s: %w", name, err)
	}
	return points
}

// g1 returns the next points of G1, compressed.
func (r *reader) g1(name string, count int, form encoding) []bn254.G1Affine {
	return list[bn254.G1Affine](r, name, count, count, g1Bytes, form)
}

// g2 returns the next points of G2, compressed.
func (r *reader) g2(name string, count int, form encoding) []bn254.G2Affine {
	return list[bn254.G2Affine](r, name, count, count, g2Bytes, form)
}

// end returns the error, or one for bytes that are left over.
func (r *reader) end() error {
	if r.err == nil && len(r.data) > 0 {
		return errors.New("extra bytes at the end")
	}
	return r.err
}
