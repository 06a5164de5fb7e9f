// SPDX-License-Identifier: Apache-2.0

import LiveDevice

/// What Apple's API has no words for.
extension CLGeocoder {
    /// The service behind all geocoders of the device in force; nil, the default, for the data that is linked in.
    ///
    /// A simulated device has one of its own, so set it within `use { }`. It counts for requests that begin after that.
    public static var placeFinder: (any PlaceFinder)? {
        get { PlaceFinding.of(LiveDevice.resolved).finder }
        set { PlaceFinding.of(LiveDevice.resolved).finder = newValue }
    }
}
