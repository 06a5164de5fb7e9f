// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Tells when a device has come to rest, from its positions.
struct StationaryDetector: Sendable {
    /// A device rests that has stayed within this radius, in metres, or within the accuracy of its positions...
    static let radius = 15.0
    /// ...for this many seconds.
    static let patience = 60.0
    /// A device that is faster than this, in metres per second, moves.
    static let speed = 1.0

    private var anchor: (place: CLLocationCoordinate2D, since: BootTime)?
    /// True while the device rests.
    private(set) var isStationary = false

    /// Takes a position; true when the device has just come to rest.
    mutating func accept(_ values: CLLocation.Values, now: BootTime) -> Bool {
        let place = CLLocationCoordinate2D(latitude: values.latitude, longitude: values.longitude)
        let radius = max(StationaryDetector.radius, values.horizontalAccuracy)
        guard let anchor, values.speed < StationaryDetector.speed, geodesicDistance(anchor.place, place) <= radius
        else {
            self.anchor = (place, now)
            isStationary = false
            return false
        }
        guard !isStationary, now.seconds(since: anchor.since) >= StationaryDetector.patience else { return false }
        isStationary = true
        return true
    }
}
