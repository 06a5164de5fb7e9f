// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import Foundation

/// Properties that exist only on Linux. They are not set for locations with reduced accuracy or for locations created
/// by an app.
extension CLLocation {
    /// A satellite that the receiver reports.
    public typealias Satellite = DeviceCore.Satellite
    /// A position report from a receiver.
    public typealias Report = DeviceCore.PositionReport
    /// A sky report from a receiver.
    public typealias Sky = DeviceCore.SkyReport

    /// The receiver's path on the machine that runs gpsd, for example "/dev/ttyACM0".
    public var receiver: String? { details.flatMap { $0.report.receiver.isEmpty ? nil : $0.report.receiver } }

    /// The receiver's report that this location was created from.
    public var report: Report? { details?.report }

    /// The JSON of the report, or nil unless the manager's `keepsRawReports` is true.
    public var rawReport: Data? { details?.report.raw.map { Data($0) } }

    /// The receiver's last sky report, which includes the satellites and the dilution of precision.
    public var sky: Sky? { details?.sky }

    /// The satellites in the receiver's last sky report.
    public var satellites: [Satellite] { details?.sky?.satellites ?? [] }

    /// The altitude above mean sea level in metres. nil if it is unknown, in which case `altitude` is 0.
    public var altitudeAboveSeaLevel: Double? {
        details.flatMap { $0.report.altitude.isNaN ? nil : $0.report.altitude }
    }

    /// The altitude above the ellipsoid in metres. nil if it is unknown, in which case `ellipsoidalAltitude` is 0.
    public var altitudeAboveEllipsoid: Double? {
        details.flatMap { $0.report.altitudeHAE.isNaN ? nil : $0.report.altitudeHAE }
    }

    /// The time since the report arrived. Unlike `timestamp`, it does not depend on the receiver's clock.
    public var age: Duration? { details.map { .seconds($0.clock.now.seconds(since: $0.report.arrival)) } }

    /// False if the receiver reported no time, in which case `timestamp` is the arrival time.
    package var hasReceiverTime: Bool { details?.report.time != nil }

    /// True if `timestamp` is earlier than the time in the receiver's previous report. This is possible because
    /// locations are delivered in order of arrival.
    package var isOutOfOrder: Bool { details?.isOutOfOrder ?? false }
}

extension CLLocation: PositionReporting {
    /// The receiver's ``report``, or a report created from this location's values if there is none. In a created
    /// report, invalid values are NaN, and an invalid coordinate results in a report without a fix.
    public var positionReport: PositionReport {
        if let report { return report }
        var report = PositionReport()
        report.mode = horizontalAccuracy < 0 ? .none : verticalAccuracy > 0 ? .threeDimensional : .twoDimensional
        // Rounds the time to microseconds, because a `Date` is not exact. Without rounding, 0.2 s would become
        // 0.1999998 s.
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
