// SPDX-License-Identifier: Apache-2.0

import LiveDevice

/// API for Linux that Apple's CLGeocoder does not have.
extension CLGeocoder {
    /// The place finder for all geocoders of the current device. The default is nil: geocoders use the place data
    /// linked into the app. A change applies to subsequent requests. A simulated device has its own place finder, which
    /// you set in the closure of `SimulatedDevice.use`.
    public static var placeFinder: (any PlaceFinder)? {
        get { PlaceFinderSetting.of(LiveDevice.resolved).finder }
        set { PlaceFinderSetting.of(LiveDevice.resolved).finder = newValue }
    }
}
