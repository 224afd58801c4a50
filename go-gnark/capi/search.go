package main

/*
#define EQUIPROOF_CGO
#include "../../equiproof/ffi/equiproof.h"
*/
import "C"

import (
	"sync/atomic"

	"equiproof/search"
)

//export ep_search_open
func ep_search_open(handle *C.uint64_t, out *C.ep_buffer) C.int32_t {
	return answer(out, func() ([]byte, error) {
		*handle = C.uint64_t(handles.put(new(atomic.Bool)))
		return nil, nil
	})
}

//export ep_search
func ep_search(handle C.uint64_t, task *C.uint8_t, taskLength C.size_t, request *C.uint8_t, length C.size_t,
	out *C.ep_buffer,
) C.int32_t {
	return answer(out, func() ([]byte, error) {
		stop, ok := handles.get(uint64(handle)).(*atomic.Bool)
		if !ok {
			return nil, errNoHandle
		}
		return search.Run(string(copied(task, taskLength)), copied(request, length), stop)
	})
}

//export ep_search_stop
func ep_search_stop(handle C.uint64_t, out *C.ep_buffer) C.int32_t {
	return answer(out, func() ([]byte, error) {
		stop, ok := handles.get(uint64(handle)).(*atomic.Bool)
		if !ok {
			return nil, errNoHandle
		}
		stop.Store(true)
		handles.drop(uint64(handle))
		return nil, nil
	})
}
