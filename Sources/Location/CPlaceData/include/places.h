// SPDX-License-Identifier: Apache-2.0

// The place data, linked into the program as constants. No file includes this header: see OfflinePlaceFinder.swift.
#ifndef DEVICE_SERVICES_PLACES_H
#define DEVICE_SERVICES_PLACES_H

const void *DeviceServices_placesStart(void);
long DeviceServices_placesLength(void);

#endif
