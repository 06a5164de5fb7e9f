// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
package import Geodesy

/// Assigns times to the points of a path without times, for a constant speed or a constant interval.
package struct PathTiming: Sendable {
    /// The interval between points if no speed is given, in nanoseconds (1 s).
    package static let standardStep: Int64 = 1_000_000_000

    /// The speed in metres per second; nil for points one second apart.
    package let speed: Double?
    private var last: (place: GeodeticCoordinate, time: Int64)?

    /// Creates a timing whose first point has the time zero.
    ///
    /// - Parameter speed: The speed in metres per second, at least 0.001; nil to place points one second apart.
    /// - Throws: An error with code `invalidConfiguration` for a smaller or infinite speed.
    package init(speed: Double?) throws(DeviceError) {
        if let speed {
            guard speed.isFinite, speed >= 0.001 else {
                throw DeviceError(
                    .invalidConfiguration,
                    "The speed of \(speed) m/s is invalid. Specify a positive speed in metres per second, for example 1.4 for walking."
                )
            }
        }
        self.speed = speed
    }

    /// Returns the time of the next point in nanoseconds since the first point.
    package mutating func time(of place: GeodeticCoordinate) -> Int64 {
        guard let last else {
            self.last = (place, 0)
            return 0
        }
        var step = Self.standardStep
        if let speed { step = Int64(saturatingSeconds: Geodesic.distance(from: last.place, to: place) / speed) ?? 0 }
        let time = last.time.addingSaturated(step)
        self.last = (place, time)
        return time
    }

    /// Continues the path at another place, `pause` nanoseconds after the last point. Returns the time of the new
    /// point.
    package mutating func jump(to place: GeodeticCoordinate, after pause: Int64) -> Int64 {
        let time = (last?.time ?? 0).addingSaturated(pause)
        last = (place, time)
        return time
    }
}
