// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DeviceCore
import Geodesy
import SensorTools

/// A time as a decimal year or in a form of ISO 8601: a date alone, or with a time of day, which is in UTC unless it
/// has an offset.
struct FieldDate: ExpressibleByArgument, Equatable {
    /// The decimal year, from 1900 to 2200.
    let year: Double

    init?(argument: String) {
        let text = argument.utf8
        let isDecimal = text.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
        guard let year = isDecimal ? Double(argument) : Self.year(of: text), (1900...2200).contains(year) else {
            return nil
        }
        self.year = year
    }

    static var allValueStrings: [String] { ["YEAR (1900 to 2200)", "YYYY-MM-DD", "YYYY-MM-DDThh:mm:ssZ"] }

    /// The decimal year of `YYYY-MM-DD[Thh:mm[:ss[.s]][Z|±hh[:]mm]]`.
    private static func year(of text: String.UTF8View) -> Double? {
        var rest = text[...]
        guard let year = number(&rest, digits: 4), skip("-", &rest), let month = number(&rest, digits: 2),
            skip("-", &rest), let day = number(&rest, digits: 2)
        else { return nil }
        var seconds = 0.0
        if !rest.isEmpty {
            guard skip("T", &rest) || skip("t", &rest) || skip(" ", &rest),
                let time = timeOfDay(&rest), let offset = offset(&rest), rest.isEmpty
            else { return nil }
            seconds = time - offset
        }
        return DecimalYear.at(year: year, month: month, day: day, seconds: seconds)
    }

    private static func timeOfDay(_ rest: inout Substring.UTF8View) -> Double? {
        guard let hour = number(&rest, digits: 2), hour < 24, skip(":", &rest), let minute = number(&rest, digits: 2),
            minute < 60
        else { return nil }
        var seconds = Double(hour * 3600 + minute * 60)
        guard skip(":", &rest) else { return seconds }
        guard let second = number(&rest, digits: 2), second <= 60 else { return nil }
        seconds += Double(second)
        guard skip(".", &rest) || skip(",", &rest) else { return seconds }
        var unit = 0.1
        guard rest.first.map({ (0x30...0x39).contains($0) }) == true else { return nil }
        while let digit = number(&rest, digits: 1) {
            seconds += Double(digit) * unit
            unit /= 10
        }
        return seconds
    }

    /// Seconds ahead of UTC; 0 where nothing is said.
    private static func offset(_ rest: inout Substring.UTF8View) -> Double? {
        if rest.isEmpty || skip("Z", &rest) || skip("z", &rest) { return 0 }
        let isAhead = skip("+", &rest)
        guard isAhead || skip("-", &rest), let hour = number(&rest, digits: 2), hour < 24 else { return nil }
        var seconds = Double(hour * 3600)
        if !rest.isEmpty {
            _ = skip(":", &rest)
            guard let minute = number(&rest, digits: 2), minute < 60 else { return nil }
            seconds += Double(minute * 60)
        }
        return isAhead ? seconds : -seconds
    }

    private static func skip(_ character: Unicode.Scalar, _ rest: inout Substring.UTF8View) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    private static func number(_ rest: inout Substring.UTF8View, digits: Int) -> Int? {
        let head = rest.prefix(digits)
        guard head.count == digits, head.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        rest.removeFirst(digits)
        return head.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
}

/// A day as it is written on the command line: 2026-11-21
struct LogDay: ExpressibleByArgument {
    /// The day's first instant.
    let time: WallTime
    let text: String

    init?(argument: String) {
        guard let date = numbers(argument[...], "-", digits: [4, 2, 2]),
            let time = CivilDate.time(year: date[0], month: date[1], day: date[2])
        else { return nil }
        self.time = time
        text = argument
    }
}

/// An instant as a date, with or without a time of day in UTC, or `now`.
struct StartTime: ExpressibleByArgument, Equatable {
    let time: WallTime

    init?(argument: String) {
        if argument == "now" {
            time = LiveClock().wallTime
            return
        }
        let parts = argument.split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false)
        guard let date = numbers(parts[0], "-", digits: [4, 2, 2]) else { return nil }
        var clock = [0, 0, 0]
        if parts.count == 2 {
            guard parts[1].hasSuffix("Z"), let found = numbers(parts[1].dropLast(), ":", digits: [2, 2, 2]) else {
                return nil
            }
            clock = found
        }
        guard
            let time = CivilDate.time(
                year: date[0], month: date[1], day: date[2], hour: clock[0], minute: clock[1], second: clock[2])
        else { return nil }
        self.time = time
    }

    static var allValueStrings: [String] { ["YYYY-MM-DD", "YYYY-MM-DDThh:mm:ssZ", "now"] }
}

/// The numbers of so many digits each between separators.
private func numbers(_ text: Substring, _ separator: Character, digits: [Int]) -> [Int]? {
    let fields = text.split(separator: separator, omittingEmptySubsequences: false)
    guard fields.map(\.utf8.count) == digits,
        fields.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
    else { return nil }
    return fields.compactMap { Int($0) }
}
