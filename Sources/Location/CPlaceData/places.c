// SPDX-License-Identifier: Apache-2.0

#include "places.h"

extern const unsigned char device_services_places[] __attribute__((visibility("hidden")));
extern const unsigned char device_services_places_end[] __attribute__((visibility("hidden")));

const void *DeviceServices_placesStart(void) { return device_services_places; }

long DeviceServices_placesLength(void) { return device_services_places_end - device_services_places; }
