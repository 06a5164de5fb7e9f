// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

/// The time of reports that came without a stamp of their arrival: it goes on with the receiver's own time.
package struct ReportClock: Sendable {
    /// Nanoseconds since the start.
    package private(set) var elapsed: Int64 = 0
    private var last: WallTime?

    package init() {}

    /// Takes note of a report's own time: where that rises by up to a minute the clock goes on with it, else it holds.
    package mutating func take(_ time: WallTime?) {
        guard let time else { return }
        if let last {
            let rise = time.nanoseconds.subtractingSaturated(last.nanoseconds)
            if rise > 0, rise <= 60_000_000_000 { elapsed = elapsed.addingSaturated(rise) }
        }
        last = time
    }
}
