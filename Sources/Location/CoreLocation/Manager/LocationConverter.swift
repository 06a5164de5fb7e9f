// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation

/// Converts position reports to locations for one manager or one loop over `liveUpdates()`. Protected by its owner's
/// state lock.
struct LocationConverter: Sendable {
    var sky: SkyReport?
    var reducedAccuracy = ReducedAccuracy()
    private var receiver = ""
    private var isAccessory = false
    private var lastTime: WallTime?

    mutating func values(
        of report: PositionReport, on device: Device
    ) -> (values: CLLocation.Values, details: LocationDetails?) {
        if report.receiver != receiver {
            receiver = report.receiver
            isAccessory = LocationConversion.isAccessory(receiver)
            lastTime = nil
        }
        let isOutOfOrder = report.time.map { time in lastTime.map { time < $0 } ?? false } ?? false
        if let time = report.time { lastTime = time }
        let sky = sky.flatMap { $0.belongs(to: report) ? $0 : nil }
        let values = LocationConversion.values(
            of: report, sky: sky, fallbackTime: device.clock.wallTime, isSimulated: device.isSimulated,
            isAccessory: isAccessory)
        let details = LocationDetails(report: report, sky: sky, isOutOfOrder: isOutOfOrder, clock: device.clock)
        return (values, details)
    }
}

/// A filter that replaces each location with the centre of its grid cell, and passes on at most one location every 15
/// minutes.
struct ReducedAccuracy: Sendable {
    static let interval = 900.0
    /// The height of a grid cell, in degrees of latitude. Cells are about as wide as they are high.
    static let cellHeight = 0.05

    private var last: BootTime?

    /// Returns the values with reduced accuracy, or nil if the last location was delivered too recently.
    mutating func reduce(_ values: CLLocation.Values, now: BootTime) -> CLLocation.Values? {
        if let last, now.seconds(since: last) < ReducedAccuracy.interval { return nil }
        last = now
        return ReducedAccuracy.reduced(values)
    }

    /// Returns the centre and radius of the cell that contains the position. Altitude, course and speed are invalid.
    static func reduced(_ values: CLLocation.Values) -> CLLocation.Values {
        let row = (values.latitude / cellHeight).rounded(.down)
        let latitude = min(90, max(-90, (row + 0.5) * cellHeight))
        // All cells in a row have the same width, so the width does not reveal the exact latitude.
        let columns = max(1, (360 / cellHeight * cos(latitude * .pi / 180)).rounded())
        let width = 360 / columns
        let column = (values.longitude / width).rounded(.down)
        let longitude = min(180, max(-180, (column + 0.5) * width))
        // Half the diagonal of a cell, rounded up. The exact value is 3,936 metres, or up to 4,827 metres for the
        // wedge-shaped cells at the poles.
        let radius = abs(latitude) < 89 ? 4000.0 : 5000
        return CLLocation.Values(
            latitude: latitude, longitude: longitude,
            horizontalAccuracy: max(values.horizontalAccuracy, radius),
            timestamp: values.timestamp, isSimulatedBySoftware: values.isSimulatedBySoftware,
            isProducedByAccessory: values.isProducedByAccessory)
    }
}
