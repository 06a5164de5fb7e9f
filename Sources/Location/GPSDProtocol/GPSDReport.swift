// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import JSONBytes

/// A decoded line from gpsd.
package enum GPSDReport: Sendable {
    case position(PositionReport)
    case sky(SkyReport)
    /// ATT: the attitude. The case is indirect, because storing the large value inline would make all reports slower to
    /// move.
    indirect case attitude(AttitudeReport)
    case version(GPSDVersion)
    case devices([ReceiverDescription])
    case device(ReceiverDescription)
    case watch(GPSDWatch)
    /// ERROR: the server's reason for rejecting a request.
    case error(String)
    /// A valid report of a class that is not decoded.
    case other(GPSDClass)
    case malformed(GPSDMalformedReport)

    /// Shifts the report's time, if it has one, by the given number of nanoseconds.
    package func shifted(by shift: Int64) -> GPSDReport {
        switch self {
        case .position(var report):
            report.time = report.time?.shifted(by: shift)
            return .position(report)
        case .sky(var report):
            report.time = report.time?.shifted(by: shift)
            return .sky(report)
        case .attitude(var report):
            report.time = report.time?.shifted(by: shift)
            return .attitude(report)
        case .version, .devices, .device, .watch, .error, .other, .malformed: return self
        }
    }
}

/// A gpsd server's greeting (VERSION). Missing strings are empty, and missing numbers are -1.
package struct GPSDVersion: Sendable, Hashable {
    package var release = ""
    package var revision = ""
    package var protocolMajor: Int32 = -1
    package var protocolMinor: Int32 = -1
    /// The URL of the server whose data this server relays, or an empty string.
    package var remote = ""

    package init() {}
}

/// A client's watch policy (WATCH), which selects the data that gpsd sends to the client.
package struct GPSDWatch: Sendable, Hashable {
    package var isEnabled = false
    package var json = false
    package var nmea = false
    /// The format of raw receiver data: 0 for none, 1 for hexadecimal, 2 for unchanged bytes.
    package var raw: Int32 = 0
    /// True if AIS and subframe data is reported in scaled units instead of raw integers.
    package var scaled = false
    /// True if the server adds its own timing information.
    package var timing = false
    /// True if the two parts of AIS message 24 are sent separately.
    package var split24 = false
    package var pps = false
    /// The path of the watched receiver, or an empty string for all receivers.
    package var device = ""

    package init() {}
}

extension WallTime {
    /// Shifts the time by the given number of nanoseconds, saturating at the limits of `WallTime`.
    package func shifted(by nanoseconds: Int64) -> WallTime {
        WallTime(nanoseconds: self.nanoseconds.addingSaturated(nanoseconds))
    }
}

/// The reason why a line from gpsd is not a valid report, and the position of the error in the line.
package struct GPSDMalformedReport: Sendable, Hashable, CustomStringConvertible {
    package enum Reason: UInt8, Sendable {
        /// The line is not a JSON object. It may be NMEA or binary data.
        case notAnObject
        case truncated
        case invalid
        case tooDeep
        /// The "class" key is missing, or its value is not a string.
        case noClass
    }

    package var reason: Reason
    /// The offset of the invalid byte from the start of the line.
    package var offset: Int

    package init(_ reason: Reason, at offset: Int) {
        (self.reason, self.offset) = (reason, offset)
    }

    init(_ error: JSONError) {
        self.init(
            error.reason == .truncated ? .truncated : error.reason == .tooDeep ? .tooDeep : .invalid, at: error.offset)
    }

    package var description: String {
        let problem =
            switch reason {
            case .notAnObject: "the line does not begin with a JSON object"
            case .truncated: "the line is truncated"
            case .invalid: "the line is not valid JSON"
            case .tooDeep: "arrays and objects are nested too deeply"
            case .noClass: "the class is missing"
            }
        return "gpsd report, byte \(offset): \(problem)"
    }
}
