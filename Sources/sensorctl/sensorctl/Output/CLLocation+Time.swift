// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore

extension CLLocation {
    /// The time of the report, to the nanosecond; for a report without one the time of its arrival.
    var time: WallTime {
        if let time = report?.time { return time }
        // A Date is good for less than a microsecond; what lies behind that is not the receiver's.
        let microseconds = ((timestamp.timeIntervalSinceReferenceDate + 978_307_200) * 1e6).rounded()
        return WallTime(seconds: microseconds / 1e6) ?? .epoch
    }
}
