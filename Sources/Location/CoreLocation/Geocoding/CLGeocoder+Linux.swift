// SPDX-License-Identifier: Apache-2.0

import LiveDevice

/// Additions for Linux.
extension CLGeocoder {
    /// The service used by all geocoders of the current device. The default, nil, selects the data that is linked into
    /// the app. A simulated device has its own service, which has to be set within `use { }`. A change applies to
    /// requests that begin afterwards.
    public static var placeFinder: (any PlaceFinder)? {
        get { PlaceFinderSetting.of(LiveDevice.resolved).finder }
        set { PlaceFinderSetting.of(LiveDevice.resolved).finder = newValue }
    }
}
