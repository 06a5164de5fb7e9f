// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// One line from gpsd, decoded.
public enum GPSDReport: Sendable {
    /// TPV: a position.
    case position(PositionReport)
    /// SKY: the satellites in view.
    case sky(SkyReport)
    /// ATT: a compass or an inertial unit.
    case attitude(AttitudeReport)
    /// VERSION: the greeting of the server.
    case version(GPSDVersion)
    /// DEVICES: all receivers that the server knows of.
    case devices([ReceiverDescription])
    /// DEVICE: a receiver came, went or was identified.
    case device(ReceiverDescription)
    /// WATCH: what the server sends from now on.
    case watch(GPSDWatch)
    /// ERROR: the server refuses a request and says why.
    case error(String)
    /// A valid report of a class that is not read here.
    case other(GPSDClass)
    /// Not a report. Nothing of the line is delivered, however much of it could be read.
    case malformed(GPSDMalformedReport)
}

/// The greeting of a gpsd server (VERSION). Text that was not given is empty, a number that was not given is -1.
public struct GPSDVersion: Sendable, Hashable {
    /// The release of the server, for example "3.22".
    public var release = ""
    /// Its revision in version control.
    public var revision = ""
    /// Protocol version, before the point.
    public var protocolMajor: Int32 = -1
    /// Protocol version, behind the point.
    public var protocolMinor: Int32 = -1
    /// The server that this one relays, if it does.
    public var remote = ""

    /// A server of which nothing is known yet.
    public init() {}
}

/// What a gpsd server sends to this client (WATCH).
public struct GPSDWatch: Sendable, Hashable {
    /// True when reports are sent at all.
    public var isEnabled = false
    /// Reports as JSON.
    public var json = false
    /// Sentences as NMEA.
    public var nmea = false
    /// What the receiver sends: 1 as hexadecimal, 2 as it is; 0 not at all.
    public var raw: Int32 = 0
    /// AIS and subframes in units instead of counts.
    public var scaled = false
    /// With the server's own timing.
    public var timing = false
    /// The two halves of AIS 24 apart.
    public var split24 = false
    /// With pulse-per-second reports.
    public var pps = false
    /// The one receiver that is watched; empty when all are.
    public var device = ""

    /// A watch that is off.
    public init() {}
}

extension GPSDReport {
    /// The same report with the receiver's time moved by that many nanoseconds.
    package func moved(by shift: Int64) -> GPSDReport {
        switch self {
        case .position(var report):
            report.time = report.time?.moved(by: shift)
            return .position(report)
        case .sky(var report):
            report.time = report.time?.moved(by: shift)
            return .sky(report)
        case .attitude(var report):
            report.time = report.time?.moved(by: shift)
            return .attitude(report)
        case .version, .devices, .device, .watch, .error, .other, .malformed: return self
        }
    }
}

extension WallTime {
    /// That many nanoseconds later, as far as times go.
    package func moved(by nanoseconds: Int64) -> WallTime {
        WallTime(nanoseconds: self.nanoseconds.addingSaturated(nanoseconds))
    }
}
