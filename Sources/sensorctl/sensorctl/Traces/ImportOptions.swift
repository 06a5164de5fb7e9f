// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DeviceCore
import Trace
import TraceEditing
import TraceFormats

struct ImportOptions: ParsableArguments {
    @Option(
        help: .init(
            "The columns of a table, as in \"time=t:ms,lat=Lat,lon=Lon,accel.x=#5:g\". See `sensorctl help formats`.",
            valueName: "map"))
    var columns: String?

    @Option(
        help: .init(
            "The layout of a CSV file with motion data, if its columns are ambiguous. In the iio layout, the magnetic field is in gauss. In the si layout, it is in microtesla.",
            valueName: "kind"))
    var layout: MotionCSVLayout?

    @Option(
        help: .init(
            "The sampling rate of CSV files and libiio buffers that contain no timestamps, in hertz.",
            valueName: "hertz"))
    var rate: Double?

    @Option(
        help:
            "The phone's operating system, if the file Metadata.csv of a Sensor Logger folder does not specify it."
    )
    var platform: SensorLoggerOptions.Platform?

    @Option(
        help: .init(
            "The name of the file that contains the positions in a Sensor Logger folder, such as LocationGps.csv.",
            valueName: "file"))
    var locationFile: String?

    @Option(
        help:
            "The kind of points to read from a GPX file. The default is the first of these kinds that the file contains."
    )
    var points: GPXOptions.Content?

    @Option(
        help: .init(
            "The number of the track or route to read from a GPX file, starting at 1. By default, all are read.",
            valueName: "number")
    )
    var track: Int?

    @Option(
        help: .init(
            "The assumed speed between GPX points without timestamps. By default, these points are assumed to be one second apart.",
            valueName: "metres per second"))
    var pace: Double?

    @Option(
        help: .init(
            "The horizontal accuracy of GPX points that state none, such as 5. By default, Core Location assumes 100 m, which is too large to enter small regions.",
            valueName: "metres"))
    var accuracy: Double?

    @Option(
        help: .init(
            "The date on which an NMEA log begins, such as 2026-11-21. This option is necessary only if the log contains no dates.",
            valueName: "day"), transform: LogDay.parse
    )
    var date: LogDay?

    @Option(
        help: .init(
            "The number of weeks by which the dates in an NMEA log are too early. If the receiver's week number has rolled over once, this number is 1024.",
            valueName: "weeks"))
    var weeks: Int?

    func validate() throws {
        if let columns { _ = try ExitStatus.validating { try CSVColumnMap(columns) } }
        if let rate, !(1 / 86_400...1e6).contains(rate) {
            throw ValidationError("--rate must be from 0.0000116 Hz (one reading per day) to 1000000 Hz.")
        }
        if let locationFile, locationFile.isEmpty || locationFile.contains("/") {
            throw ValidationError("--location-file must be the name of a file in the Sensor Logger folder.")
        }
        if let track, track < 1 { throw ValidationError("--track must be at least 1.") }
        if let pace, !(pace > 0 && pace.isFinite) { throw ValidationError("--pace must be greater than 0 m/s.") }
        if let accuracy, !(accuracy > 0 && accuracy.isFinite) {
            throw ValidationError("--accuracy must be greater than 0 m.")
        }
        if let weeks, weeks.magnitude > 10_240 { throw ValidationError("--weeks must be from -10240 to 10240.") }
    }

    var options: RecordingOptions {
        var options = RecordingOptions()
        // The columns have already been validated, so parsing cannot fail.
        options.columns = columns.flatMap { try? CSVColumnMap($0) }
        options.csv.layout = layout
        options.csv.period = rate.map { Duration(clampingSeconds: 1 / $0) }
        options.iio.rate = rate
        options.sensorLogger.platform = platform
        options.sensorLogger.locationFile = locationFile
        options.gpx.content = points
        options.gpx.number = track
        options.gpx.speed = pace
        options.gpx.accuracy = accuracy
        options.nmea.date = date?.time
        options.nmea.weeks = weeks ?? 0
        return options
    }

    /// The specified options, under the names used in files of expected callbacks.
    var description: [String: String] {
        let values: [String: String?] = [
            "columns": columns, "layout": layout?.rawValue, "rate": rate?.description, "platform": platform?.rawValue,
            "location-file": locationFile, "points": points?.rawValue, "track": track?.description,
            "pace": pace?.description,
            "accuracy": accuracy?.description, "date": date?.text, "weeks": weeks?.description,
        ]
        return values.compactMapValues(\.self)
    }

    /// Reads a recording from a file or, if the path is "-", from standard input. Exits with an error on failure.
    func read(_ path: String) throws -> TraceFile {
        let recording = try RecordingFile.read(userPath: path, options: options)
        warnOfUnused([recording.format], recording.trace.name)
        return recording.trace
    }

    /// Reads several recordings. Logs a warning for each option that applies to none of them.
    func read(_ paths: [String]) throws -> [TraceFile] {
        let recordings = try paths.map { try RecordingFile.read(userPath: $0, options: options) }
        let first = recordings.first?.trace.name ?? ""
        warnOfUnused(Set(recordings.map(\.format)), recordings.count == 1 ? first : "the given files")
        return recordings.map(\.trace)
    }

    private func warnOfUnused(_ kinds: Set<RecordingFormat>, _ name: String) {
        for option in description.keys.sorted() {
            guard let (what, users) = applicableFormats(of: option), users.isDisjoint(with: kinds) else { continue }
            Log.warning("--\(option) applies only to \(what), so it has no effect on \(name).")
        }
    }

    /// Returns the formats to which an option applies, with a description, or nil if it applies to all formats.
    private func applicableFormats(of option: String) -> (what: String, kinds: Set<RecordingFormat>)? {
        switch option {
        case "layout" where columns != nil, "rate" where columns != nil: ("tables without --columns", [])
        case "layout": ("CSV files of motion", [.csv])
        case "rate": ("CSV files of motion and libiio's buffers", [.csv, .iio])
        case "platform", "location-file": ("Sensor Logger folders", [.sensorLogger])
        case "points", "track", "pace", "accuracy": ("GPX files", [.gpx])
        case "date", "weeks": ("NMEA 0183 logs", [.nmea])
        default: nil
        }
    }
}

extension TraceFile {
    /// Reads a trace from a file or, if the path is "-", from standard input. Exits with an error on failure.
    static func read(userPath path: String) throws -> TraceFile {
        try ExitStatus.exitOnError {
            path == "-"
                ? try TraceFile(contents: try TraceBytes.standardInput(), name: TraceBytes.standardInputName)
                : try TraceFile(path: path)
        }
    }
}

extension RecordingFile {
    /// Reads a recording from a file or, if the path is "-", from standard input. Logs remarks about the recording.
    /// Exits with an error if it cannot be read.
    static func read(userPath path: String, options: RecordingOptions) throws -> RecordingFile {
        let name = path == "-" ? TraceBytes.standardInputName : path
        let activity = Activity("Reading \(name)")
        defer { activity.end() }
        let recording = try ExitStatus.exitOnError {
            path == "-"
                ? try RecordingFile.read(try TraceBytes.standardInput(), name: name, options: options)
                : try RecordingFile.open(path, options: options)
        }
        for remark in recording.remarks { Log.warning("\(recording.trace.name): \(remark)") }
        return recording
    }
}

extension TraceBytes {
    static let standardInputName = "standard input"

    static func standardInput() throws(DeviceError) -> TraceBytes {
        try TraceBytes(stream: Descriptor.standardInput.number, name: standardInputName)
    }
}

extension TraceFile {
    /// Returns remarks that summarize a playback's warnings. Playback stores a limited number of warnings. If the limit
    /// was reached, the whole trace is read to count them all.
    func remarks(on warnings: [TraceWarning]) -> [String] {
        let diagnostics =
            warnings.count < TraceCursor.maximumWarnings
            ? InputDiagnostics(warnings) : ReportDiagnostics(self).lineWarnings
        return diagnostics.remarks.map { "\(name): \($0)" }
    }
}
