// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import Foundation

/// Additions for Linux. They are nil or empty for locations that were created by an app, restored from an archive, or
/// reduced in accuracy.
extension CLLocation {
    /// A satellite in the receiver's view.
    public typealias Satellite = DeviceCore.Satellite
    /// A position report of a receiver.
    public typealias Report = DeviceCore.PositionReport
    /// A sky report of a receiver.
    public typealias Sky = DeviceCore.SkyReport

    /// The path of the receiver on the machine that runs gpsd, for example "/dev/ttyACM0".
    public var receiver: String? { details.flatMap { $0.report.receiver.isEmpty ? nil : $0.report.receiver } }

    /// The report from which this location was created, with all values of the receiver.
    public var report: Report? { details?.report }

    /// The JSON of the report; nil unless the manager's `keepsRawReports` is true.
    public var rawReport: Data? { details?.report.raw.map { Data($0) } }

    /// The receiver's last sky report, with dilutions of precision and satellites.
    public var sky: Sky? { details?.sky }

    /// The satellites in the receiver's last sky report.
    public var satellites: [Satellite] { details?.sky?.satellites ?? [] }

    /// Metres above mean sea level; nil if the receiver did not report it, in which case `altitude` is 0 and invalid.
    public var altitudeAboveSeaLevel: Double? {
        details.flatMap { $0.report.altitude.isNaN ? nil : $0.report.altitude }
    }

    /// Metres above the WGS 84 ellipsoid; nil if the receiver did not report it, in which case `ellipsoidalAltitude` is
    /// 0.
    public var altitudeAboveEllipsoid: Double? {
        details.flatMap { $0.report.altitudeHAE.isNaN ? nil : $0.report.altitudeHAE }
    }

    /// The time since the report arrived, on the device's clock; `timestamp` depends on the receiver's clock.
    public var age: Duration? { details.map { .seconds($0.clock.now.seconds(since: $0.report.arrival)) } }

    /// False if the receiver reported no time, in which case `timestamp` is the time of arrival.
    package var hasReceiverTime: Bool { details?.report.time != nil }

    /// True if `timestamp` is earlier than the receiver's previous timestamp. Locations are delivered without sorting.
    package var isOutOfOrder: Bool { details?.isOutOfOrder ?? false }
}

extension CLLocation: PositionReporting {
    /// The receiver's ``report``. If there is no report, a report with the values of this location, where invalid
    /// values are NaN. If the coordinate is invalid, this report has no fix.
    public var positionReport: PositionReport {
        if let report { return report }
        var report = PositionReport()
        report.mode = horizontalAccuracy < 0 ? .none : verticalAccuracy > 0 ? .threeDimensional : .twoDimensional
        // A `Date` is accurate only to a fraction of a microsecond. The time is rounded to microseconds, so that 0.2 s
        // does not become 0.1999998 s.
        report.time = WallTime(seconds: timestamp.timeIntervalSince1970).map { time in
            WallTime(nanoseconds: time.nanoseconds.addingSaturated(500) / 1000 * 1000)
        }
        (report.latitude, report.longitude) = (coordinate.latitude, coordinate.longitude)
        if horizontalAccuracy >= 0 { report.horizontalError = horizontalAccuracy }
        if verticalAccuracy > 0 { (report.altitudeMSL, report.verticalError) = (altitude, verticalAccuracy) }
        if speed >= 0 { report.speed = speed }
        if speedAccuracy > 0 { report.speedError = speedAccuracy }
        if course >= 0 { report.track = course }
        if courseAccuracy > 0 { report.trackError = courseAccuracy }
        return report
    }
}
