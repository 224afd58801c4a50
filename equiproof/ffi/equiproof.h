/* The C ABI of the proving library: bytes in, bytes out. Read by cffi and included by cgo. */
#ifndef EQUIPROOF_H
#define EQUIPROOF_H

#include <stddef.h>
#include <stdint.h>

#define EP_ABI_VERSION 10

#define EP_OK 0
#define EP_REFUSED 1
#define EP_UNSATISFIED 2
#define EP_INVALID 3
#define EP_PANIC 4

/* Bytes that the library allocated; give them back with ep_buffer_free. After a failure they hold the name of the reason,
   which is empty where none is defined, a zero byte and the message. */
typedef struct {
  uint8_t *data;
  size_t length;
} ep_buffer;

#ifndef EQUIPROOF_CGO
uint32_t ep_abi_version(void);
/* A proof system by its name; a document selects a circuit: a shape the whole relation, a sub-circuit's document one gadget
   of a shape alone. A set-up takes powers that others made, or none. */
int32_t ep_describe(uint8_t *name, size_t name_length, uint8_t *document, size_t document_length, ep_buffer *out);
int32_t ep_setup(uint8_t *name, size_t name_length, uint8_t *document, size_t document_length, uint8_t *powers,
                 size_t powers_length, ep_buffer *out);
int32_t ep_checker_load(uint8_t *name, size_t name_length, uint8_t *document, size_t document_length, uint64_t *handle,
                        ep_buffer *out);
int32_t ep_check(uint64_t handle, uint8_t *witness, size_t witness_length, ep_buffer *out);
int32_t ep_prover_load(uint8_t *name, size_t name_length, uint8_t *document, size_t document_length, uint8_t *key,
                       size_t key_length, uint64_t *handle, ep_buffer *out);
int32_t ep_prove(uint64_t handle, uint8_t *witness, size_t witness_length, ep_buffer *out);
/* Circuits of a kept model: the point that is the first commitment of all its certificates, compressed, from the model's words with
   the model commitment behind them, 32 big-endian bytes each, and the mask, 32 bytes; a proof beside this mask; and a check of a
   witness at the challenge that follows from the point, 32 bytes. */
int32_t ep_point(uint64_t handle, uint8_t *words, size_t words_length, uint8_t *mask, size_t mask_length, ep_buffer *out);
int32_t ep_prove_kept(uint64_t handle, uint8_t *witness, size_t witness_length, uint8_t *mask, size_t mask_length,
                      ep_buffer *out);
int32_t ep_check_kept(uint64_t handle, uint8_t *witness, size_t witness_length, uint8_t *first, size_t first_length,
                      ep_buffer *out);
/* A verifying key of a kept model checks no proof by itself. Beside a link, which is checked under the key of links first, it opens to a
   verifier as ep_verifier_load gives one. Parts are the digest of the links' shape, the model commitment, the spec's digest and the
   element of the certificates' key, 32 big-endian bytes each. The caller puts what the link shows into the digest of each certificate. */
int32_t ep_kept_load(uint8_t *key, size_t key_length, uint64_t *handle, ep_buffer *out);
int32_t ep_kept_open(uint64_t handle, uint64_t links, uint8_t *point, size_t point_length, uint8_t *shown, size_t shown_length,
                     uint8_t *proof, size_t proof_length, uint8_t *parts, size_t parts_length, uint64_t *opened, ep_buffer *out);
int32_t ep_verifier_load(uint8_t *name, size_t name_length, uint8_t *key, size_t key_length, uint64_t *handle,
                         ep_buffer *out);
int32_t ep_verify(uint64_t handle, uint8_t *digest, size_t digest_length, uint8_t *proof, size_t proof_length,
                  ep_buffer *out);
/* Claims are digest, proof, digest, proof and so on, each behind its length in eight big-endian bytes. Out come as many
   verdicts as proofs, framed alike: one byte with the status that ep_verify gives to the proof, and behind any but EP_OK what
   it leaves. At most so many threads, 0 for one per core. Memory grows with the claims, not with what they say. */
int32_t ep_verify_many(uint64_t handle, uint32_t threads, uint8_t *claims, size_t length, ep_buffer *out);
/* Powers of tau for a domain of 2^power elements, and keys that are made from them in steps: docs of equiproof.ffi.ceremony.
   No previous step (of length 0) is the start. */
int32_t ep_powers_contribute(uint32_t power, uint8_t *previous, size_t length, ep_buffer *out);
int32_t ep_powers_verify(uint32_t power, uint8_t *previous, size_t previous_length, uint8_t *step, size_t length,
                         ep_buffer *out);
int32_t ep_powers_finish(uint32_t power, uint8_t *last, size_t last_length, uint8_t *beacon, size_t length,
                         ep_buffer *out);
int32_t ep_powers_import(uint8_t *path, size_t length, uint32_t power, ep_buffer *out);
int32_t ep_powers_check(uint32_t power, uint8_t *powers, size_t length, ep_buffer *out);
int32_t ep_powers_cut(uint32_t power, uint8_t *powers, size_t length, uint32_t to, ep_buffer *out);
int32_t ep_lagrange(uint32_t power, uint8_t *powers, size_t length, ep_buffer *out);
int32_t ep_lagrange_check(uint32_t power, uint8_t *powers, size_t powers_length, uint8_t *form, size_t length,
                          ep_buffer *out);
int32_t ep_srs(uint32_t power, uint8_t *powers, size_t length, ep_buffer *out);
int32_t ep_key_start(uint8_t *document, size_t document_length, uint32_t power, uint8_t *powers, size_t powers_length,
                     uint8_t *form, size_t length, ep_buffer *out);
int32_t ep_key_contribute(uint8_t *previous, size_t length, ep_buffer *out);
int32_t ep_key_verify(uint8_t *previous, size_t previous_length, uint8_t *step, size_t length, ep_buffer *out);
int32_t ep_key_finish(uint8_t *document, size_t document_length, uint32_t power, uint8_t *powers, size_t powers_length,
                      uint8_t *form, size_t form_length, uint8_t *last, size_t last_length, uint8_t *beacon,
                      size_t length, ep_buffer *out);
/* A search of an ensemble of trees: a task by its name, a JSON request, a JSON result. Opened first, so that another thread
   can stop it: it then returns what it has. Stopping frees the handle, and is due after each search. */
int32_t ep_search_open(uint64_t *handle, ep_buffer *out);
int32_t ep_search(uint64_t handle, uint8_t *task, size_t task_length, uint8_t *request, size_t length, ep_buffer *out);
int32_t ep_search_stop(uint64_t handle, ep_buffer *out);
int32_t ep_free(uint64_t handle, ep_buffer *out);
void ep_buffer_free(ep_buffer *buffer);
#endif

#endif
