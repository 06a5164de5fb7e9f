// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

/// The last heading that a compass of gpsd has told any manager of a device.
///
/// gpsd's list of receivers does not say which of them are compasses, so one is known from its first report on.
final class HeardCompass: Sendable {
    private let last = Mutex<AttitudeReport?>(nil)

    /// The one of a device.
    static func of(_ device: Device) -> HeardCompass {
        device.component(HeardCompass.self) { _ in HeardCompass() }
    }

    /// The last report that told a heading; nil before the first.
    var report: AttitudeReport? { last.withLock { $0 } }

    /// Takes note of a report that tells a heading, and of no other.
    func note(_ report: AttitudeReport) {
        guard report.heading >= 0 && report.heading < 360 || report.magneticHeading >= 0 && report.magneticHeading < 360
        else { return }
        last.withLock { $0 = report }
    }
}
