// SPDX-License-Identifier: Apache-2.0

import LiveDevice

/// Additions for Linux.
extension CLGeocoder {
    /// The place finder for all geocoders of the current device. The default is nil, which selects the data linked into
    /// the app. A simulated device has a separate setting, which you change within `use { }`. A change applies to
    /// subsequent requests.
    public static var placeFinder: (any PlaceFinder)? {
        get { PlaceFinderSetting.of(LiveDevice.resolved).finder }
        set { PlaceFinderSetting.of(LiveDevice.resolved).finder = newValue }
    }
}
