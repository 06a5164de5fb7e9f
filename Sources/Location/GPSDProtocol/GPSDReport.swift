// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import JSONBytes

/// One line from gpsd, decoded.
package enum GPSDReport: Sendable {
    /// TPV: a position.
    case position(PositionReport)
    /// SKY: the satellites in view.
    case sky(SkyReport)
    /// ATT: a compass or an inertial unit. Seldom, and far larger than all others, which would be moved as far as it.
    indirect case attitude(AttitudeReport)
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
package struct GPSDVersion: Sendable, Hashable {
    /// The release of the server, for example "3.22".
    package var release = ""
    /// Its revision in version control.
    package var revision = ""
    /// Protocol version, before the point.
    package var protocolMajor: Int32 = -1
    /// Protocol version, behind the point.
    package var protocolMinor: Int32 = -1
    /// The server that this one relays, if it does.
    package var remote = ""

    /// A server of which nothing is known yet.
    package init() {}
}

/// What a gpsd server sends to this client (WATCH).
package struct GPSDWatch: Sendable, Hashable {
    /// True when reports are sent at all.
    package var isEnabled = false
    /// Reports as JSON.
    package var json = false
    /// Sentences as NMEA.
    package var nmea = false
    /// What the receiver sends: 1 as hexadecimal, 2 as it is; 0 not at all.
    package var raw: Int32 = 0
    /// AIS and subframes in units instead of counts.
    package var scaled = false
    /// With the server's own timing.
    package var timing = false
    /// The two halves of AIS 24 apart.
    package var split24 = false
    /// With pulse-per-second reports.
    package var pps = false
    /// The one receiver that is watched; empty when all are.
    package var device = ""

    /// A watch that is off.
    package init() {}
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

/// Why a line from gpsd is no report, and where.
package struct GPSDMalformedReport: Sendable, Hashable, CustomStringConvertible {
    /// What is wrong.
    package enum Reason: UInt8, Sendable {
        /// The line does not begin an object: NMEA or binary data, or not gpsd at all.
        case notAnObject
        /// The line ends too early.
        case truncated
        /// The line is not JSON.
        case invalid
        /// Arrays and objects are nested too deeply.
        case tooDeep
        /// There is no "class", or its value is not a string.
        case noClass
    }

    /// What is wrong.
    package var reason: Reason
    /// The offset of the offending byte from the start of the line.
    package var offset: Int

    /// A line that is wrong at that byte.
    package init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    init(_ error: JSONError) {
        self.init(
            error.reason == .truncated ? .truncated : error.reason == .tooDeep ? .tooDeep : .invalid, at: error.offset)
    }

    /// A sentence for a log.
    package var description: String {
        let what =
            switch reason {
            case .notAnObject: "the line does not begin a JSON object"
            case .truncated: "the line ends too early"
            case .invalid: "the line is not JSON"
            case .tooDeep: "arrays and objects are nested too deeply"
            case .noClass: "there is no class"
            }
        return "gpsd report, byte \(offset): \(what)"
    }
}
