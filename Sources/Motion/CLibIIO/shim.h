// SPDX-License-Identifier: Apache-2.0

#ifndef DEVICE_SERVICES_CLIBIIO_SHIM_H
#define DEVICE_SERVICES_CLIBIIO_SHIM_H

#include <errno.h>
#include <iio.h>
#include <stdio.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// libiio reports the reason for a failure in errno, which these functions copy before it can change.

// Opens a context. `uri` must be writable, because libiio 0.24 writes to it.
static inline struct iio_context *dsiio_open(char *uri, int *error) {
    errno = 0;
    struct iio_context *const context = iio_create_context_from_uri(uri);
    *error = context != NULL ? 0 : errno != 0 ? errno : ENODEV;
    return context;
}

// Starts capturing the enabled channels of a device.
static inline struct iio_buffer *dsiio_open_buffer(const struct iio_device *device, size_t samples, int *error) {
    errno = 0;
    struct iio_buffer *const buffer = iio_device_create_buffer(device, samples, false);
    *error = buffer != NULL ? 0 : errno != 0 ? errno : EIO;
    return buffer;
}

// The functions of a stream, as in cookie_io_functions_t, which the C library declares only with _GNU_SOURCE.
struct dsiio_stream_functions {
    void *read;
    ssize_t (*write)(void *context, const char *bytes, size_t count);
    void *seek;
    void *close;
};

extern FILE *dsiio_fopencookie(void *context, const char *mode, struct dsiio_stream_functions functions)
    __asm__("fopencookie");

// Opens an unbuffered stream that passes its output to a function. Returns NULL if no memory is available.
static inline FILE *dsiio_open_stream(ssize_t (*write)(void *context, const char *bytes, size_t count)) {
    const struct dsiio_stream_functions functions = {NULL, write, NULL, NULL};
    FILE *const file = dsiio_fopencookie(NULL, "w", functions);
    if (file != NULL) setvbuf(file, NULL, _IONBF, 0);
    return file;
}

// Replaces the standard error stream of the process. Returns the previous stream, or NULL if `stderr` is a constant in
// this C library.
static inline FILE *dsiio_exchange_stderr(FILE *file) {
#ifdef __GLIBC__
    return __atomic_exchange_n(&stderr, file, __ATOMIC_ACQ_REL);
#else
    (void)file;
    return NULL;
#endif
}

#ifdef __cplusplus
}
#endif

#endif
