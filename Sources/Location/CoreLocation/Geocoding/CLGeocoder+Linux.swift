// SPDX-License-Identifier: Apache-2.0

import LiveDevice

/// A property that exists only on Linux.
extension CLGeocoder {
    /// The place finder that all geocoders of the current device use. If it is nil (the default), the geocoders use the
    /// place data linked into the app. A change applies to subsequent requests. Each simulated device has its own place
    /// finder, which is set in the closure passed to `SimulatedDevice.use`.
    public static var placeFinder: (any PlaceFinder)? {
        get { PlaceFinderSetting.of(LiveDevice.resolved).finder }
        set { PlaceFinderSetting.of(LiveDevice.resolved).finder = newValue }
    }
}
