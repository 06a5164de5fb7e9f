// SPDX-License-Identifier: Apache-2.0

// The parts of libmosquitto that Swift needs. Functions are imported directly. The error codes are repeated here as int
// constants, because the type of C enums depends on the compiler. Supports libmosquitto 2.0 and later.

#ifndef DSMOSQUITTO_SHIM_H
#define DSMOSQUITTO_SHIM_H

#include <mosquitto.h>
#include <stddef.h>

#if !defined(LIBMOSQUITTO_VERSION_NUMBER) || LIBMOSQUITTO_VERSION_NUMBER < 2000000
#error "libmosquitto is too old: 2.0 or newer is needed. Install a newer libmosquitto-dev or turn off the trait LibMosquitto."
#endif

#ifdef __cplusplus
extern "C" {
#endif

static const int dsmosquitto_ok = MOSQ_ERR_SUCCESS;
static const int dsmosquitto_no_memory = MOSQ_ERR_NOMEM;
static const int dsmosquitto_protocol = MOSQ_ERR_PROTOCOL;
static const int dsmosquitto_tls = MOSQ_ERR_TLS;
static const int dsmosquitto_tls_handshake = MOSQ_ERR_TLS_HANDSHAKE;
static const int dsmosquitto_errno = MOSQ_ERR_ERRNO;
static const int dsmosquitto_lookup = MOSQ_ERR_EAI;
static const int dsmosquitto_keepalive = MOSQ_ERR_KEEPALIVE;

// Returns no passphrase. OpenSSL's default callback would prompt for one on the terminal.
static inline int dsmosquitto_no_passphrase(char *buffer, int size, int flag, void *context) {
    (void)flag;
    (void)context;
    if (buffer != NULL && size > 0) buffer[0] = 0;
    return 0;
}

// Sets the TLS certificates. If `authorities` is NULL, uses the system's certificate authorities.
static inline int dsmosquitto_set_tls(
    struct mosquitto *client, const char *authorities, const char *certificate, const char *key) {
    const char *folder = authorities == NULL ? "/etc/ssl/certs" : NULL;
    int result = mosquitto_tls_set(client, authorities, folder, certificate, key, dsmosquitto_no_passphrase);
    if (result == MOSQ_ERR_SUCCESS && authorities == NULL) {
        result = mosquitto_int_option(client, MOSQ_OPT_TLS_USE_OS_CERTS, 1);
    }
    return result;
}

// Disables Nagle's algorithm, because the senders of small messages wait for a response.
static inline void dsmosquitto_set_prompt(struct mosquitto *client) {
    (void)mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1);
}

#ifdef __cplusplus
}
#endif

#endif
