// SPDX-License-Identifier: Apache-2.0

#ifndef DEVICE_SERVICES_CLIBUDEV_SHIM_H
#define DEVICE_SERVICES_CLIBUDEV_SHIM_H

#include <errno.h>
#include <libudev.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// libudev reports the reason of a failure through errno. It is copied here, before it can change.

static inline struct udev *dsudev_open(int *error) {
    errno = 0;
    struct udev *const context = udev_new();
    *error = context != NULL ? 0 : errno != 0 ? errno : ENOMEM;
    return context;
}

static inline struct udev_monitor *dsudev_open_monitor(struct udev *context, const char *group, int *error) {
    errno = 0;
    struct udev_monitor *const monitor = udev_monitor_new_from_netlink(context, group);
    *error = monitor != NULL ? 0 : errno != 0 ? errno : EIO;
    return monitor;
}

// Returns the device with this sysfs path.
static inline struct udev_device *dsudev_device(struct udev *context, const char *path, int *error) {
    errno = 0;
    struct udev_device *const device = udev_device_new_from_syspath(context, path);
    *error = device != NULL ? 0 : errno != 0 ? errno : ENODEV;
    return device;
}

// Returns the device of the next message. NULL with EAGAIN if there is no message, and with another error if the
// message is invalid or messages were lost.
static inline struct udev_device *dsudev_receive(struct udev_monitor *monitor, int *error) {
    errno = 0;
    struct udev_device *const device = udev_monitor_receive_device(monitor);
    *error = device != NULL ? 0 : errno != 0 ? errno : EAGAIN;
    return device;
}

#ifdef __cplusplus
}
#endif

#endif
