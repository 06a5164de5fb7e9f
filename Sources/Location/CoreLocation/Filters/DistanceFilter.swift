// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// Lets a location through when it is far enough from the last one that went through, or known better.
struct DistanceFilter: Sendable {
    private var last: (place: CLLocationCoordinate2D, accuracy: Double)?

    /// True when the location goes through, which makes it the one to compare with.
    mutating func accept(_ place: CLLocationCoordinate2D, accuracy: Double, filter: Double) -> Bool {
        guard filter > 0, let last else {
            last = (place, accuracy)
            return true
        }
        guard accuracy < last.accuracy || geodesicDistance(last.place, place) >= filter else { return false }
        self.last = (place, accuracy)
        return true
    }

    /// The next location goes through.
    mutating func reset() {
        last = nil
    }
}
