// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
package import Geodesy

/// Gives times to the points of a path that has none, as if somebody went along it at one speed.
package struct PathTiming: Sendable {
    /// How far apart points are where no speed is known, in nanoseconds.
    package static let standardStep: Int64 = 1_000_000_000

    /// Metres per second; nil for points one second apart.
    package let speed: Double?
    private var last: (place: GeodeticCoordinate, time: Int64)?

    /// - Parameter speed: Metres per second, from 0.001 up; nil to put the points one second apart.
    /// - Throws: an error of code `invalidConfiguration` for a speed at which nobody moves.
    package init(speed: Double?) throws(DeviceError) {
        if let speed {
            guard speed.isFinite, speed >= 0.001 else {
                throw DeviceError(
                    .invalidConfiguration,
                    "A speed of \(speed) m/s leads nowhere. Give one in metres per second, for example 1.4 for walking."
                )
            }
        }
        self.speed = speed
    }

    /// The time of the next point, in nanoseconds since that of the first one.
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

    /// Goes on elsewhere, that many nanoseconds later.
    package mutating func jump(to place: GeodeticCoordinate, after pause: Int64) -> Int64 {
        let time = (last?.time ?? 0).addingSaturated(pause)
        last = (place, time)
        return time
    }
}
