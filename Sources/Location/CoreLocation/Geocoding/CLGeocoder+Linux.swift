// SPDX-License-Identifier: Apache-2.0

import LiveDevice

/// Additions for Linux.
extension CLGeocoder {
    /// The service that all geocoders of the current device use. If nil (the default), the data that is linked into the
    /// app is used. A simulated device has a separate setting, which has to be changed within `use { }`. A change
    /// applies to requests that begin afterwards.
    public static var placeFinder: (any PlaceFinder)? {
        get { PlaceFinderSetting.of(LiveDevice.resolved).finder }
        set { PlaceFinderSetting.of(LiveDevice.resolved).finder = newValue }
    }
}
