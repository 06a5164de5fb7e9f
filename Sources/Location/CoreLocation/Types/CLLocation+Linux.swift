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
