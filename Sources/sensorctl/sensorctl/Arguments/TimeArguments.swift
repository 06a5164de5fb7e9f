// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DeviceCore
import Geodesy
import SensorTools
import Trace
import TraceEditing

/// An argument whose error message lists the accepted forms.
protocol FormattedArgument {
    /// The accepted forms, as in "Use FORMS."
    static var forms: String { get }
    init?(argument: String)
}

extension FormattedArgument {
    /// Parses an argument. Used as the transform of an option.
    static func parse(_ text: String) throws -> Self {
        guard let value = Self(argument: text) else { throw ValidationError("Use \(forms).") }
        return value
    }
}

/// Parses durations. The functions are used as the transforms of options.
enum Seconds {
    static func parse(_ text: String) throws -> Double {
        guard let seconds = TimeText.seconds(text) ?? Double(text), seconds.isFinite else {
            throw ValidationError("Use \(TimeText.durationForms).")
        }
        return seconds
    }

    static func parseWhole(_ text: String) throws -> Int {
        guard let seconds = Int(exactly: try parse(text)) else {
            throw ValidationError("Use whole seconds, such as \(TimeText.durationForms).")
        }
        return seconds
    }
}

/// A time in a recording specified on the command line: the time since the start, or a date.
enum TraceTime: FormattedArgument, Equatable, CustomStringConvertible {
    case elapsed(Double)
    case date(WallTime)

    static let forms = "90, 90s, 1:30, 2m or a date like 2026-11-27T10:00:00Z"

    init?(argument: String) {
        if let seconds = TimeText.seconds(argument) ?? Double(argument), seconds >= 0, !argument.hasPrefix("0x") {
            self = .elapsed(seconds)
        } else if let date = TimeText.date(argument) {
            self = .date(date)
        } else {
            return nil
        }
    }

    /// The time in the form that files of expected callbacks contain.
    var description: String {
        switch self {
        case .elapsed(let seconds): "\(seconds)"
        case .date(let date): CivilDate(date).timestamp
        }
    }

    /// Returns the time in seconds since the start of the recording. Exits with an error if a date cannot be converted.
    func seconds(in trace: TraceFile) throws -> Double {
        switch self {
        case .elapsed(let seconds): return seconds
        case .date(let date):
            let start = Self.start(of: trace)
            if let start, date >= start { return date.seconds(since: start) }
            let reason = start.map { "begins at \(CivilDate($0).timestamp), after" } ?? "has no start time for the date"
            Log.error(
                "\(trace.name) \(reason) \(self). Use the time since its start, such as \(TimeText.durationForms).")
            try ExitStatus.usage.exit()
            return 0
        }
    }

    /// Throws an error if the end is before the start. Dates are compared later, by ``range(from:to:in:)``.
    static func validate(from start: TraceTime?, to end: TraceTime?) throws {
        guard case .elapsed(let start)? = start, case .elapsed(let end)? = end, end < start else { return }
        throw ValidationError(reversed)
    }

    private static let reversed = "The end (--to) is before the start (--from). Exchange the two times."

    /// Returns the times since the start of the recording. Exits with an error if they cannot be converted or are
    /// reversed.
    static func range(
        from start: TraceTime?, to end: TraceTime?, in trace: TraceFile
    ) throws -> (from: Duration, to: Duration?) {
        let start = Duration(clampingSeconds: try start?.seconds(in: trace) ?? 0)
        let end = try end.map { Duration(clampingSeconds: try $0.seconds(in: trace)) }
        if let end, end < start {
            Log.error(reversed)
            try ExitStatus.usage.exit()
        }
        return (start, end)
    }

    static func start(of trace: TraceFile) -> WallTime? { TimedEventReader.header(of: trace).start?.wallTime }
}

/// A date specified on the command line, either as a decimal year or in ISO 8601 format.
struct FieldDate: FormattedArgument, Equatable {
    static let forms = "a year from 1900 to 2200, or a date like 2026-11-27 or 2026-11-27T10:00:00Z"
    /// The decimal year, from 1900 to 2200.
    let year: Double

    init?(argument: String) {
        let isDecimal = argument.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
        let date = TimeText.date(argument).map { DecimalYear.at(secondsSince1970: $0.seconds) }
        guard let year = isDecimal ? Double(argument) : date, (1900...2200).contains(year) else { return nil }
        self.year = year
    }
}

/// A day specified on the command line, such as 2026-11-21.
struct LogDay: FormattedArgument {
    static let forms = "a date like 2026-11-27"
    let time: WallTime
    let text: String

    init?(argument: String) {
        guard argument.utf8.count == 10, let time = TimeText.date(argument) else { return nil }
        (self.time, text) = (time, argument)
    }
}

/// A time specified on the command line: either `now` or a date with an optional time of day.
struct StartTime: FormattedArgument, Equatable {
    static let forms = "now, or a date like 2026-11-27 or 2026-11-27T10:00:00Z"
    let time: WallTime

    init?(argument: String) {
        guard let time = argument == "now" ? LiveClock().wallTime : TimeText.date(argument) else { return nil }
        self.time = time
    }
}
