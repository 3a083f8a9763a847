/* SPDX-License-Identifier: MIT */
#include "web/secret.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/err.h"

enum { ID_RANDOM = SECRET_LETTERS - 16 }; /* letters before the hash */

static void
fill_random(void *out, size_t length)
{
    if (getrandom(out, length, 0) != (ssize_t)length)
        die("getrandom: %s", strerror(errno));
}

/* Some letters come a little more often than others, which helps nobody to
 * guess. */
void
secret_make(char *out, size_t length)
{
    static const char letters[] = "ABCDEFGHJKMNPQRSTUVWXYZ23456789";

    fill_random(out, length);
    for (size_t i = 0; i < length; i++)
        out[i] = letters[(unsigned char)out[i] % (sizeof letters - 1)];
    out[length] = '\0';
}

bool
secret_is(const char *given, const char *secret)
{
    size_t length = strlen(secret);
    int differs = 0;

    if (given == NULL || strlen(given) != length)
        return false;
    for (size_t i = 0; i < length; i++)
        differs |= toupper((unsigned char)given[i]) ^ secret[i];
    return differs == 0;
}

void
secret_key_make(struct secret_key *key)
{
    fill_random(key, sizeof *key);
}

static uint64_t
rotate_left(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

static void
sip_rounds(uint64_t v[4], int rounds)
{
    for (int i = 0; i < rounds; i++) {
        v[0] += v[1];
        v[2] += v[3];
        v[1] = rotate_left(v[1], 13) ^ v[0];
        v[3] = rotate_left(v[3], 16) ^ v[2];
        v[0] = rotate_left(v[0], 32);
        v[2] += v[1];
        v[0] += v[3];
        v[1] = rotate_left(v[1], 17) ^ v[2];
        v[3] = rotate_left(v[3], 21) ^ v[0];
        v[2] = rotate_left(v[2], 32);
    }
}

uint64_t
secret_hash(const struct secret_key *key, const void *data, size_t length)
{
    const unsigned char *bytes = data;
    uint64_t v[] = {key->half[0] ^ 0x736f6d6570736575,
                    key->half[1] ^ 0x646f72616e646f6d,
                    key->half[0] ^ 0x6c7967656e657261,
                    key->half[1] ^ 0x7465646279746573};

    /* Words of eight bytes, the last one with the length at its end. */
    for (size_t at = 0; at <= length; at += 8) {
        uint64_t word = at + 8 > length ? (uint64_t)length << 56 : 0;
        for (size_t i = at; i < length && i < at + 8; i++)
            word |= (uint64_t)bytes[i] << (i - at) * 8;
        v[3] ^= word;
        sip_rounds(v, 2);
        v[0] ^= word;
    }
    v[2] ^= 0xff;
    sip_rounds(v, 4);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

static void
sign_id(const struct secret_key *key, char id[SECRET_LETTERS + 1])
{
    snprintf(id + ID_RANDOM, 17, "%016" PRIX64,
             secret_hash(key, id, ID_RANDOM));
}

void
secret_make_id(const struct secret_key *key, char id[SECRET_LETTERS + 1])
{
    secret_make(id, ID_RANDOM);
    sign_id(key, id);
}

bool
secret_is_id(const struct secret_key *key, const char *text)
{
    char id[SECRET_LETTERS + 1];

    if (text == NULL || strlen(text) != SECRET_LETTERS)
        return false;
    memcpy(id, text, ID_RANDOM);
    sign_id(key, id);
    return secret_is(text, id);
}
