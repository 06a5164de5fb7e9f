// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation

/// Makes locations of the reports that come in one after the other.
struct LocationMaker: Sendable {
    /// The last view of the sky.
    var sky: SkyReport?
    var reducedAccuracy = ReducedAccuracy()
    /// The receiver of the last report, whether it is an accessory, and its time.
    private var receiver = ""
    private var isAccessory = false
    private var lastTime: WallTime?

    /// The location of a report that has a fix, in its parts: not every one is told.
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

/// What programs see that may only know roughly where they are: the middle of a cell, every fifteen minutes at most.
struct ReducedAccuracy: Sendable {
    /// Seconds between locations.
    static let interval = 900.0
    /// The height of a cell in degrees of latitude; its width is about the same length.
    static let cell = 0.05

    private var last: BootTime?

    /// The values to show; nil when it is too early for new ones.
    mutating func reduce(_ values: CLLocation.Values, now: BootTime) -> CLLocation.Values? {
        if let last, now.seconds(since: last) < ReducedAccuracy.interval { return nil }
        last = now
        return ReducedAccuracy.coarse(values)
    }

    /// The middle of the cell that holds the place, with a radius that covers the cell. Nothing else is told.
    static func coarse(_ values: CLLocation.Values) -> CLLocation.Values {
        let row = (values.latitude / cell).rounded(.down)
        let latitude = min(90, max(-90, (row + 0.5) * cell))
        // Cells of a row have one width, so that the middle does not give away the place.
        let columns = max(1, (360 / cell * cos(latitude * .pi / 180)).rounded())
        let width = 360 / columns
        let column = (values.longitude / width).rounded(.down)
        let longitude = min(180, max(-180, (column + 0.5) * width))
        // Half a diagonal of a cell is 3,936 metres, but around the poles cells are wide wedges: up to 4,827.
        let radius = abs(latitude) < 89 ? 4000.0 : 5000
        return CLLocation.Values(
            latitude: latitude, longitude: longitude,
            horizontalAccuracy: max(values.horizontalAccuracy, radius),
            timestamp: values.timestamp, isSimulatedBySoftware: values.isSimulatedBySoftware,
            isProducedByAccessory: values.isProducedByAccessory)
    }
}
