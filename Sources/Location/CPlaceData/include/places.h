// SPDX-License-Identifier: Apache-2.0

// The data of places, linked into the program as constants. Nothing includes this: see OfflinePlaceFinder.swift.
#ifndef DEVICE_SERVICES_PLACES_H
#define DEVICE_SERVICES_PLACES_H

const void *DeviceServices_placesStart(void);
long DeviceServices_placesLength(void);

#endif
