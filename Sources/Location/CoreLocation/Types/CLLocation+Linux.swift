// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import Foundation

/// What a location on Linux knows beyond Apple's properties. All of it is nil or empty for locations that a program
/// made, that came out of an archive, or whose accuracy was reduced.
extension CLLocation {
    /// One satellite in the receiver's view.
    public typealias Satellite = DeviceCore.Satellite
    /// A position report as the receiver gave it.
    public typealias Report = DeviceCore.PositionReport
    /// A view of the sky as the receiver gave it.
    public typealias Sky = DeviceCore.SkyReport

    /// The path of the receiver on the machine that runs gpsd, for example "/dev/ttyACM0".
    public var receiver: String? { details.flatMap { $0.report.receiver.isEmpty ? nil : $0.report.receiver } }

    /// The report that this location was made from, with every number that the receiver gave.
    public var report: Report? { details?.report }

    /// The report's own JSON; only when the manager's `keepsRawReports` is set.
    public var rawReport: Data? { details?.report.raw.map { Data($0) } }

    /// The receiver's last view of the sky with dilutions of precision and satellites.
    public var sky: Sky? { details?.sky }

    /// The satellites in the receiver's last view.
    public var satellites: [Satellite] { details?.sky?.satellites ?? [] }

    /// Metres above mean sea level, or nil when the receiver did not tell; `altitude` is then 0 and invalid.
    public var altitudeAboveSeaLevel: Double? {
        details.flatMap { $0.report.altitude.isNaN ? nil : $0.report.altitude }
    }

    /// Metres above the WGS 84 ellipsoid, or nil when the receiver did not tell; `ellipsoidalAltitude` is then 0.
    public var altitudeAboveEllipsoid: Double? {
        details.flatMap { $0.report.altitudeHAE.isNaN ? nil : $0.report.altitudeHAE }
    }

    /// Seconds since the report arrived, on the clock of its device; `timestamp` is the receiver's and may be off.
    public var age: TimeInterval? { details.map { $0.clock.now.seconds(since: $0.report.arrival) } }

    /// False when the receiver gave no time, and `timestamp` is the time of arrival.
    public var hasReceiverTime: Bool { details?.report.time != nil }

    /// True when `timestamp` is earlier than in the receiver's report before: locations are never put in order.
    public var isOutOfOrder: Bool { details?.isOutOfOrder ?? false }
}

extension CLLocation: PositionReporting {
    /// The receiver's ``report``, where there is one; else one that says no more than this location's own properties:
    /// that is so for locations that a program made, that came out of an archive, or whose accuracy was reduced.
    ///
    /// A value that is marked as invalid is NaN in it, and without a valid coordinate there is no fix.
    public var positionReport: PositionReport {
        if let report { return report }
        var report = PositionReport()
        report.mode = horizontalAccuracy < 0 ? .none : verticalAccuracy > 0 ? .threeDimensional : .twoDimensional
        // A date is exact to a part of a microsecond only: 0.2 s is not to become 0.1999998.
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
