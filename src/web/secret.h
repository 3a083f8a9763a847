/* SPDX-License-Identifier: MIT */
/* What browsers have to show: a code that people type, a key, and ids, which
 * the server gives away signed and knows again without keeping them.
 *
 *     secret_key_make(&key);
 *     secret_make_id(&key, id);             in a cookie
 *     if (secret_is_id(&key, cookie)) ...   it is one of those */
#ifndef WEB_SECRET_H
#define WEB_SECRET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SECRET_LETTERS = 32 }; /* of an id, and of a key */

/* Random letters and digits, without I, L and O, 0 and 1, which look alike. */
void secret_make(char *out, size_t length);

/* Whether a text is the secret, in either case of letters; NULL is none.  It
 * takes as long for one wrong text as for another of its length. */
bool secret_is(const char *given, const char *secret);

/* A random key for the functions below. */
struct secret_key {
    uint64_t half[2];
};
void secret_key_make(struct secret_key *key);

/* SipHash-2-4 of `length` bytes: J.-P. Aumasson, D. J. Bernstein, "SipHash: a
 * fast short-input PRF", 2012.  Nobody without the key can find a second text
 * of the same hash, or the hash of another text. */
uint64_t secret_hash(const struct secret_key *key, const void *data,
                     size_t length);

/* Ids: random letters, and their hash. */
void secret_make_id(const struct secret_key *key, char id[SECRET_LETTERS + 1]);
bool secret_is_id(const struct secret_key *key, const char *text);

#endif
