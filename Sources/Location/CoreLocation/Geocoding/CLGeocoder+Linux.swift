// SPDX-License-Identifier: Apache-2.0

import LiveDevice

/// Additions for Linux.
extension CLGeocoder {
    /// The place finder for all geocoders of the current device. If nil, which is the default, geocoders use the place
    /// data linked into the app. A simulated device has its own setting, which you change within `use { }`. A change
    /// applies to subsequent requests.
    public static var placeFinder: (any PlaceFinder)? {
        get { PlaceFinderSetting.of(LiveDevice.resolved).finder }
        set { PlaceFinderSetting.of(LiveDevice.resolved).finder = newValue }
    }
}
