// Command capi is the c-shared library: it copies bytes, keeps keys behind handles and turns errors and panics into
// statuses. It holds no logic.
package main

/*
#define EQUIPROOF_CGO
#include "../../equiproof/ffi/equiproof.h"
#include <stdlib.h>
*/
import "C"

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"runtime/debug"
	"unsafe"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark/logger"

	"equiproof/ceremony"
	"equiproof/check"
	"equiproof/gadget/bounded"
	"equiproof/relation"
	"equiproof/system"
	"equiproof/verify/statement"
)

func main() {}

func init() { logger.Disable() }

// description is what ep_describe and ep_setup tell of a compiled circuit.
type description struct {
	Constraints  int                `json:"constraints"`
	SystemDigest string             `json:"system_digest"`
	Layout       []relation.Segment `json:"layout"`
	Widths       []bounded.Width    `json:"widths"`
	Parts        []system.Part      `json:"parts"`
}

func describe(circuit relation.Circuit, d *system.Description) ([]byte, error) {
	digest := hex.EncodeToString(d.SystemDigest[:])
	return json.Marshal(description{d.Constraints, digest, circuit.Layout(), d.Widths, d.Parts})
}

//export ep_abi_version
func ep_abi_version() C.uint32_t { return C.EP_ABI_VERSION }

// named returns the proof system that the caller names.
func named(name *C.uint8_t, length C.size_t) (system.ProofSystem, error) {
	return system.Named(string(copied(name, length)))
}

//export ep_describe
func ep_describe(name *C.uint8_t, nameLength C.size_t, document *C.uint8_t, length C.size_t, out *C.ep_buffer) C.int32_t {
	return answer(out, func() ([]byte, error) {
		proofSystem, err := named(name, nameLength)
		if err != nil {
			return nil, err
		}
		circuit, err := system.Select(copied(document, length))
		if err != nil {
			return nil, err
		}
		d, err := proofSystem.Describe(circuit)
		if err != nil {
			return nil, err
		}
		return describe(circuit, d)
	})
}

//export ep_setup
func ep_setup(name *C.uint8_t, nameLength C.size_t, document *C.uint8_t, length C.size_t, powers *C.uint8_t,
	powersLength C.size_t, out *C.ep_buffer,
) C.int32_t {
	return answer(out, func() ([]byte, error) {
		proofSystem, err := named(name, nameLength)
		if err != nil {
			return nil, err
		}
		circuit, err := system.Select(copied(document, length))
		if err != nil {
			return nil, err
		}
		keys, err := proofSystem.SetupFrom(circuit, copied(powers, powersLength))
		if err != nil {
			return nil, err
		}
		return framed(circuit, keys)
	})
}

// framed joins a circuit's description and its keys.
func framed(circuit relation.Circuit, keys *system.Keys) ([]byte, error) {
	text, err := describe(circuit, &keys.Description)
	if err != nil {
		return nil, err
	}
	return frames(text, keys.Verifying, keys.Proving), nil
}

//export ep_prover_load
func ep_prover_load(name *C.uint8_t, nameLength C.size_t, document *C.uint8_t, length C.size_t, key *C.uint8_t,
	keyLength C.size_t, handle *C.uint64_t, out *C.ep_buffer,
) C.int32_t {
	return answer(out, func() ([]byte, error) {
		proofSystem, err := named(name, nameLength)
		if err != nil {
			return nil, err
		}
		prover, err := proofSystem.Load(copied(document, length), copied(key, keyLength))
		if err != nil {
			return nil, err
		}
		digest, err := prover.SystemDigest()
		if err != nil {
			return nil, err
		}
		*handle = C.uint64_t(handles.put(prover))
		return digest[:], nil
	})
}

//export ep_prove
func ep_prove(handle C.uint64_t, witness *C.uint8_t, length C.size_t, out *C.ep_buffer) C.int32_t {
	return answer(out, func() ([]byte, error) {
		prover, ok := handles.get(uint64(handle)).(*system.Prover)
		if !ok {
			return nil, errNoHandle
		}
		return prover.Prove(copied(witness, length))
	})
}

//export ep_checker_load
func ep_checker_load(name *C.uint8_t, nameLength C.size_t, document *C.uint8_t, length C.size_t, handle *C.uint64_t,
	out *C.ep_buffer,
) C.int32_t {
	return answer(out, func() ([]byte, error) {
		proofSystem, err := named(name, nameLength)
		if err != nil {
			return nil, err
		}
		checker, err := proofSystem.NewChecker(copied(document, length))
		if err != nil {
			return nil, err
		}
		*handle = C.uint64_t(handles.put(checker))
		return nil, nil
	})
}

//export ep_check
func ep_check(handle C.uint64_t, witness *C.uint8_t, length C.size_t, out *C.ep_buffer) C.int32_t {
	return answer(out, func() ([]byte, error) {
		checker, ok := handles.get(uint64(handle)).(*system.Checker)
		if !ok {
			return nil, errNoHandle
		}
		return nil, checker.Check(copied(witness, length))
	})
}

//export ep_point
func ep_point(handle C.uint64_t, words *C.uint8_t, length C.size_t, mask *C.uint8_t, maskLength C.size_t, out *C.ep_buffer,
) C.int32_t {
	return answer(out, func() ([]byte, error) {
		prover, ok := handles.get(uint64(handle)).(*system.Prover)
		if !ok {
			return nil, errNoHandle
		}
		committed, err := elements("word", copied(words, length))
		if err != nil {
			return nil, err
		}
		hiding, err := element("mask", copied(mask, maskLength))
		if err != nil {
			return nil, err
		}
		return prover.Point(committed, hiding)
	})
}

//export ep_prove_kept
func ep_prove_kept(handle C.uint64_t, witness *C.uint8_t, length C.size_t, mask *C.uint8_t, maskLength C.size_t, out *C.ep_buffer,
) C.int32_t {
	return answer(out, func() ([]byte, error) {
		prover, ok := handles.get(uint64(handle)).(*system.Prover)
		if !ok {
			return nil, errNoHandle
		}
		hiding, err := element("mask", copied(mask, maskLength))
		if err != nil {
			return nil, err
		}
		return prover.ProveKept(copied(witness, length), hiding)
	})
}

//export ep_check_kept
func ep_check_kept(handle C.uint64_t, witness *C.uint8_t, length C.size_t, first *C.uint8_t, firstLength C.size_t, out *C.ep_buffer,
) C.int32_t {
	return answer(out, func() ([]byte, error) {
		checker, ok := handles.get(uint64(handle)).(*system.Checker)
		if !ok {
			return nil, errNoHandle
		}
		challenge, err := element("first challenge", copied(first, firstLength))
		if err != nil {
			return nil, err
		}
		return nil, checker.CheckKept(copied(witness, length), challenge)
	})
}

//export ep_kept_load
func ep_kept_load(key *C.uint8_t, length C.size_t, handle *C.uint64_t, out *C.ep_buffer) C.int32_t {
	return answer(out, func() ([]byte, error) {
		kept, err := check.LoadKept(copied(key, length))
		if err != nil {
			return nil, err
		}
		*handle = C.uint64_t(handles.put(kept))
		return nil, nil
	})
}

//export ep_kept_open
func ep_kept_open(handle, links C.uint64_t, point *C.uint8_t, pointLength C.size_t, shown *C.uint8_t, shownLength C.size_t,
	proof *C.uint8_t, proofLength C.size_t, parts *C.uint8_t, length C.size_t, opened *C.uint64_t, out *C.ep_buffer,
) C.int32_t {
	return answer(out, func() ([]byte, error) {
		kept, isKept := handles.get(uint64(handle)).(*check.Kept)
		verifier, isVerifier := handles.get(uint64(links)).(*check.Verifier)
		if !isKept || !isVerifier {
			return nil, errNoHandle
		}
		about, err := linked(copied(parts, length))
		if err != nil {
			return nil, err
		}
		link := check.Link{Point: copied(point, pointLength), Shown: copied(shown, shownLength), Proof: copied(proof, proofLength)}
		found, err := kept.Open(verifier, link, about.Digest)
		if err != nil {
			return nil, err
		}
		*opened = C.uint64_t(handles.put(found.Verifier()))
		return nil, nil
	})
}

// linked reads what a link is about: shape digest, model commitment, spec digest, and the element of the certificates' key.
func linked(parts []byte) (*statement.Link, error) {
	found, err := elements("part of the link", parts)
	if err != nil {
		return nil, err
	}
	const shape, model, spec, key, all = 0, 1, 2, 3, 4
	if len(found) != all {
		return nil, fmt.Errorf("link: %d parts, want %d", len(found), all)
	}
	number := func(at int) *big.Int { return found[at].BigInt(new(big.Int)) }
	return &statement.Link{Shape: number(shape), ModelCommitment: number(model), SpecDigest: number(spec), Key: number(key)}, nil
}

// elements reads field elements of 32 big-endian bytes each.
func elements(name string, data []byte) ([]fr.Element, error) {
	if len(data)%fr.Bytes != 0 {
		return nil, fmt.Errorf("%s: %d bytes, want %d each", name, len(data), fr.Bytes)
	}
	found := make([]fr.Element, len(data)/fr.Bytes)
	for i := range found {
		if err := found[i].SetBytesCanonical(data[i*fr.Bytes : (i+1)*fr.Bytes]); err != nil {
			return nil, fmt.Errorf("%s %d: not below the field's order", name, i)
		}
	}
	return found, nil
}

// element reads one field element.
func element(name string, data []byte) (fr.Element, error) {
	found, err := elements(name, data)
	if err != nil {
		return fr.Element{}, err
	}
	if len(found) != 1 {
		return fr.Element{}, fmt.Errorf("%s: %d bytes, want %d", name, len(data), fr.Bytes)
	}
	return found[0], nil
}

//export ep_verifier_load
func ep_verifier_load(name *C.uint8_t, nameLength C.size_t, key *C.uint8_t, length C.size_t, handle *C.uint64_t,
	out *C.ep_buffer,
) C.int32_t {
	return answer(out, func() ([]byte, error) {
		proofSystem, err := named(name, nameLength)
		if err != nil {
			return nil, err
		}
		verifier, err := proofSystem.LoadVerifier(copied(key, length))
		if err != nil {
			return nil, err
		}
		*handle = C.uint64_t(handles.put(verifier))
		return nil, nil
	})
}

//export ep_verify
func ep_verify(handle C.uint64_t, digest *C.uint8_t, digestLength C.size_t, proof *C.uint8_t, proofLength C.size_t,
	out *C.ep_buffer,
) C.int32_t {
	return answer(out, func() ([]byte, error) {
		verifier, ok := handles.get(uint64(handle)).(*check.Verifier)
		if !ok {
			return nil, errNoHandle
		}
		return nil, verifier.Verify(copied(digest, digestLength), copied(proof, proofLength))
	})
}

//export ep_verify_many
func ep_verify_many(handle C.uint64_t, threads C.uint32_t, claims *C.uint8_t, length C.size_t,
	out *C.ep_buffer,
) C.int32_t {
	return answer(out, func() ([]byte, error) {
		verifier, ok := handles.get(uint64(handle)).(*check.Verifier)
		if !ok {
			return nil, errNoHandle
		}
		parts, err := unframed(copied(claims, length))
		if err != nil {
			return nil, err
		}
		return verdicts(verifier, parts, int(threads))
	})
}

// verdicts checks proofs, each behind its digest. It frames for each what ep_verify would leave: the status in one byte,
// and for any but EP_OK reason and message behind it.
func verdicts(verifier *check.Verifier, parts [][]byte, threads int) ([]byte, error) {
	if len(parts)%2 != 0 {
		return nil, errors.New("claims: a digest without a proof")
	}
	claims := make([]check.Claim, len(parts)/2)
	for i := range claims {
		claims[i] = check.Claim{Digest: parts[2*i], Proof: parts[2*i+1]}
	}
	var bytes []byte
	for _, err := range verifier.VerifyBatch(claims, threads) {
		status, text := outcome(nil, err)
		bytes = append(bytes, frames(append([]byte{byte(status)}, text...))...)
	}
	return bytes, nil
}

//export ep_free
func ep_free(handle C.uint64_t, out *C.ep_buffer) C.int32_t {
	return answer(out, func() ([]byte, error) {
		if !handles.drop(uint64(handle)) {
			return nil, errNoHandle
		}
		debug.FreeOSMemory()
		return nil, nil
	})
}

//export ep_buffer_free
func ep_buffer_free(buffer *C.ep_buffer) {
	C.free(unsafe.Pointer(buffer.data))
	buffer.data, buffer.length = nil, 0
}

// answer runs a call and writes its bytes, or its error's message, to out; a panic becomes a status.
//
// The call has a goroutine of its own. The caller's is tied to a foreign thread: what waits in it for others, as pairings and
// sums over both cores do all the time, would switch threads at each wait.
func answer(out *C.ep_buffer, call func() ([]byte, error)) C.int32_t {
	var status C.int32_t
	var data []byte
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if r := recover(); r != nil {
				status, data = C.EP_PANIC, fmt.Appendf(nil, "\x00internal error: %v", r)
			}
		}()
		bytes, err := call()
		status, data = outcome(bytes, err)
	}()
	<-done
	write(out, data)
	return status
}

// outcome returns the status of a call, and its bytes or its error's reason and message.
func outcome(data []byte, err error) (C.int32_t, []byte) {
	var refusal *ceremony.Refusal
	switch {
	case err == nil:
		return C.EP_OK, data
	case errors.As(err, &refusal):
		return C.EP_REFUSED, failure(string(refusal.Reason), err)
	case errors.Is(err, check.ErrRefused):
		return C.EP_REFUSED, failure(string(check.ReasonOf(err)), err)
	case errors.Is(err, system.ErrUnsatisfied):
		return C.EP_UNSATISFIED, failure(string(check.ReasonOf(err)), err)
	default:
		return C.EP_INVALID, failure(string(check.ReasonOf(err)), err)
	}
}

// failure returns a reason, which may be empty, a zero byte and an error's message.
func failure(reason string, err error) []byte {
	return fmt.Appendf(nil, "%s\x00%v", reason, err)
}

func write(out *C.ep_buffer, data []byte) {
	out.data, out.length = nil, C.size_t(len(data))
	if len(data) > 0 {
		out.data = (*C.uint8_t)(C.CBytes(data))
	}
}

// copied takes the caller's bytes over, so that nothing in Go points into foreign memory after the call.
func copied(data *C.uint8_t, length C.size_t) []byte {
	if data == nil || length == 0 {
		return nil
	}
	return append([]byte(nil), unsafe.Slice((*byte)(unsafe.Pointer(data)), int(length))...)
}
