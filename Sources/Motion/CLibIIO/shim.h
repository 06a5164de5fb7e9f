// SPDX-License-Identifier: Apache-2.0

#ifndef DEVICE_SERVICES_CLIBIIO_SHIM_H
#define DEVICE_SERVICES_CLIBIIO_SHIM_H

#include <errno.h>
#include <iio.h>

#ifdef __cplusplus
extern "C" {
#endif

// libiio says through errno why it made nothing; it is taken over here, before anything else can change it.

// Opens a context. `uri` must be the caller's own memory: libiio 0.24 writes into it.
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

#ifdef __cplusplus
}
#endif

#endif
