package main

/*
#define EQUIPROOF_CGO
#include "../../equiproof/ffi/equiproof.h"
*/
import "C"

import (
	"encoding/binary"

	"equiproof/ceremony"
	"equiproof/system"
)

//export ep_powers_contribute
func ep_powers_contribute(power C.uint32_t, previous *C.uint8_t, length C.size_t, out *C.ep_buffer) C.int32_t {
	return answer(out, func() ([]byte, error) {
		return ceremony.ContributePowers(int(power), copied(previous, length))
	})
}

//export ep_powers_verify
func ep_powers_verify(power C.uint32_t, previous *C.uint8_t, previousLength C.size_t, step *C.uint8_t, length C.size_t,
	out *C.ep_buffer,
) C.int32_t {
	return answer(out, func() ([]byte, error) {
		return nil, ceremony.VerifyPowers(int(power), copied(previous, previousLength), copied(step, length))
	})
}

//export ep_powers_finish
func ep_powers_finish(power C.uint32_t, last *C.uint8_t, lastLength C.size_t, beacon *C.uint8_t, length C.size_t,
	out *C.ep_buffer,
) C.int32_t {
	return answer(out, func() ([]byte, error) {
		return ceremony.FinishPowers(int(power), copied(last, lastLength), copied(beacon, length))
	})
}

//export ep_powers_import
func ep_powers_import(path *C.uint8_t, length C.size_t, power C.uint32_t, out *C.ep_buffer) C.int32_t {
	return answer(out, func() ([]byte, error) {
		size, powers, err := ceremony.ImportPowers(string(copied(path, length)), int(power))
		if err != nil {
			return nil, err
		}
		return frames(binary.BigEndian.AppendUint32(nil, uint32(size)), powers), nil
	})
}

//export ep_powers_check
func ep_powers_check(power C.uint32_t, powers *C.uint8_t, length C.size_t, out *C.ep_buffer) C.int32_t {
	return answer(out, func() ([]byte, error) {
		return nil, ceremony.CheckPowers(int(power), copied(powers, length))
	})
}

//export ep_powers_cut
func ep_powers_cut(power C.uint32_t, powers *C.uint8_t, length C.size_t, to C.uint32_t, out *C.ep_buffer) C.int32_t {
	return answer(out, func() ([]byte, error) {
		return ceremony.CutPowers(int(power), copied(powers, length), int(to))
	})
}

//export ep_lagrange
func ep_lagrange(power C.uint32_t, powers *C.uint8_t, length C.size_t, out *C.ep_buffer) C.int32_t {
	return answer(out, func() ([]byte, error) {
		return ceremony.LagrangeForm(int(power), copied(powers, length))
	})
}

//export ep_lagrange_check
func ep_lagrange_check(power C.uint32_t, powers *C.uint8_t, powersLength C.size_t, form *C.uint8_t, length C.size_t,
	out *C.ep_buffer,
) C.int32_t {
	return answer(out, func() ([]byte, error) {
		return nil, ceremony.CheckLagrange(int(power), copied(powers, powersLength), copied(form, length))
	})
}

//export ep_srs
func ep_srs(power C.uint32_t, powers *C.uint8_t, length C.size_t, out *C.ep_buffer) C.int32_t {
	return answer(out, func() ([]byte, error) { return ceremony.SRS(int(power), copied(powers, length)) })
}

//export ep_key_start
func ep_key_start(document *C.uint8_t, documentLength C.size_t, power C.uint32_t, powers *C.uint8_t,
	powersLength C.size_t, form *C.uint8_t, length C.size_t, out *C.ep_buffer,
) C.int32_t {
	return answer(out, func() ([]byte, error) {
		circuit, err := system.Select(copied(document, documentLength))
		if err != nil {
			return nil, err
		}
		return ceremony.StartKey(circuit, int(power), copied(powers, powersLength), copied(form, length))
	})
}

//export ep_key_contribute
func ep_key_contribute(previous *C.uint8_t, length C.size_t, out *C.ep_buffer) C.int32_t {
	return answer(out, func() ([]byte, error) { return ceremony.ContributeKey(copied(previous, length)) })
}

//export ep_key_verify
func ep_key_verify(previous *C.uint8_t, previousLength C.size_t, step *C.uint8_t, length C.size_t,
	out *C.ep_buffer,
) C.int32_t {
	return answer(out, func() ([]byte, error) {
		return nil, ceremony.VerifyKey(copied(previous, previousLength), copied(step, length))
	})
}

//export ep_key_finish
func ep_key_finish(document *C.uint8_t, documentLength C.size_t, power C.uint32_t, powers *C.uint8_t,
	powersLength C.size_t, form *C.uint8_t, formLength C.size_t, last *C.uint8_t, lastLength C.size_t, beacon *C.uint8_t,
	length C.size_t, out *C.ep_buffer,
) C.int32_t {
	return answer(out, func() ([]byte, error) {
		circuit, err := system.Select(copied(document, documentLength))
		if err != nil {
			return nil, err
		}
		keys, err := ceremony.FinishKey(circuit, int(power), copied(powers, powersLength), copied(form, formLength),
			copied(last, lastLength), copied(beacon, length))
		if err != nil {
			return nil, err
		}
		return framed(circuit, keys)
	})
}
