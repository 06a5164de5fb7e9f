// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DeviceCore
import Geodesy
import SensorTools

/// A date specified on the command line, either as a decimal year or in ISO 8601 format. An ISO 8601 date may include a
/// time, which is in UTC unless it has an offset.
struct FieldDate: ExpressibleByArgument, Equatable {
    /// The decimal year, from 1900 to 2200.
    let year: Double

    init?(argument: String) {
        let text = argument.utf8
        let isDecimal = text.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
        guard let year = isDecimal ? Double(argument) : Self.year(of: argument), (1900...2200).contains(year) else {
            return nil
        }
        self.year = year
    }

    static var allValueStrings: [String] { ["YEAR (1900 to 2200)", "YYYY-MM-DD", "YYYY-MM-DDThh:mm:ssZ"] }

    /// Parses `YYYY-MM-DD[Thh:mm[:ss[.s]][Z|±hh[:]mm]]` and returns the decimal year.
    private static func year(of text: String) -> Double? {
        let date = /([0-9]{4})-([0-9]{2})-([0-9]{2})/
        let time = /[Tt ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]+))?)?/
        let zone = /[Zz]|([+-])([0-9]{2})(?::?([0-9]{2}))?/
        guard let start = text.prefixMatch(of: date), let year = Int(start.1), let month = Int(start.2),
            let day = Int(start.3)
        else { return nil }
        var seconds = 0.0
        var rest = text[start.range.upperBound...]
        if !rest.isEmpty {
            guard let clock = rest.prefixMatch(of: time), let hour = Int(clock.1), hour < 24, let minute = Int(clock.2),
                minute < 60, let second = Int(clock.3 ?? "0"), second <= 60
            else { return nil }
            seconds = Double(hour * 3600 + minute * 60 + second) + (Double("0.\(clock.4 ?? "0")") ?? 0)
            rest = rest[clock.range.upperBound...]
        }
        if !rest.isEmpty {
            guard let ahead = rest.wholeMatch(of: zone), let hours = Int(ahead.2 ?? "0"), hours < 24,
                let minutes = Int(ahead.3 ?? "0"), minutes < 60
            else { return nil }
            seconds -= Double(hours * 3600 + minutes * 60) * (ahead.1 == "-" ? -1 : 1)
        }
        return DecimalYear.at(year: year, month: month, day: day, seconds: seconds)
    }
}

/// A day specified on the command line, such as 2026-11-21.
struct LogDay: ExpressibleByArgument {
    let time: WallTime
    let text: String

    init?(argument: String) {
        guard argument.utf8.count == 10, let time = instant(argument) else { return nil }
        (self.time, text) = (time, argument)
    }
}

/// A time specified on the command line: either `now` or a date with an optional time of day, in UTC.
struct StartTime: ExpressibleByArgument, Equatable {
    let time: WallTime

    init?(argument: String) {
        guard let time = argument == "now" ? LiveClock().wallTime : instant(argument) else { return nil }
        self.time = time
    }

    static var allValueStrings: [String] { ["YYYY-MM-DD", "YYYY-MM-DDThh:mm:ssZ", "now"] }
}

/// Parses `YYYY-MM-DD[Thh:mm:ssZ]`.
private func instant(_ text: String) -> WallTime? {
    let form = /([0-9]{4})-([0-9]{2})-([0-9]{2})(?:T([0-9]{2}):([0-9]{2}):([0-9]{2})Z)?/
    guard let match = text.wholeMatch(of: form), let year = Int(match.1), let month = Int(match.2),
        let day = Int(match.3), let hour = Int(match.4 ?? "0"), let minute = Int(match.5 ?? "0"),
        let second = Int(match.6 ?? "0")
    else { return nil }
    return CivilDate.time(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
}
