// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

#ifndef DEVICE_SERVICES_CLIBUDEV_SHIM_H
#define DEVICE_SERVICES_CLIBUDEV_SHIM_H

#include <errno.h>
#include <libudev.h>

#endif
