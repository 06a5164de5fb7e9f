// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DeviceCore
import Trace
import TraceFormats

/// What a user knows of a recording of another program, for the verbs that take one.
struct ImportOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "What the columns of a table hold: QUANTITY=COLUMN:UNIT between commas, as in \"time=t:ms,lat=Lat,lon=Lon,speed=v:km/h,accel.x=#5:g\". Quantities are time, accel.x, gyro.x, mag.x and their y and z, pressure, lat, lon, alt.msl, alt.hae, speed, course, climb, acc.h, acc.v, acc.speed, acc.course, mode, sats, hdop, vdop and pdop. Settings: separator, decimal, header, skip, period, start.",
            valueName: "map"))
    var columns: String?

    @Option(
        help: ArgumentHelp(
            "The kind of a CSV file of motion, where its columns leave it open: \(ImportOptions.layouts). iio has the field in gauss, si in microtesla.",
            valueName: "kind"))
    var layout: String?

    @Option(
        help: ArgumentHelp(
            "Readings a second, for CSV files without times and for libiio's buffers without time stamps.",
            valueName: "hertz"))
    var rate: Double?

    @Option(help: "The system a folder of Sensor Logger comes from, where Metadata.csv does not say: ios or android.")
    var platform: String?

    @Option(
        help: ArgumentHelp(
            "The file that positions of Sensor Logger are taken from, such as LocationGps.csv.", valueName: "file"))
    var locationFile: String?

    @Option(help: "The points of a GPX file: \(ImportOptions.points). The first of these that there are, unless given.")
    var points: String?

    @Option(help: ArgumentHelp("The one track or route of a GPX file, counted from 1.", valueName: "number"))
    var track: Int?

    @Option(
        help: ArgumentHelp(
            "How fast points of GPX without times follow one another; one a second, unless given.",
            valueName: "metres per second"))
    var pace: Double?

    @Option(
        help: ArgumentHelp("The day on which an NMEA log begins that says none, as in 2026-11-21.", valueName: "day"))
    var date: LogDay?

    @Option(
        help: ArgumentHelp(
            "By how many weeks the dates of an NMEA log are early: 1024 for a receiver whose counter began again.",
            valueName: "weeks"))
    var weeks: Int?

    private static var layouts: String { MotionCSVLayout.allCases.map(\.rawValue).joined(separator: ", ") }
    private static var points: String { GPXOptions.Content.allCases.map(\.rawValue).joined(separator: ", ") }

    func validate() throws {
        if let columns { _ = try ExitStatus.validating { () throws(DeviceError) in try CSVColumnMap(columns) } }
        if let layout, MotionCSVLayout(rawValue: layout) == nil {
            throw ValidationError("\(layout) is no kind of CSV file; known are \(Self.layouts).")
        }
        if let rate, !(1 / 86_400...1e6).contains(rate) {
            throw ValidationError("--rate takes readings a second, from one a day (0.0000116 Hz) to 1000000 Hz.")
        }
        if let platform, SensorLoggerOptions.Platform(rawValue: platform) == nil {
            throw ValidationError("\(platform) is no system that Sensor Logger runs on; write ios or android.")
        }
        if let locationFile, locationFile.isEmpty || locationFile.contains("/") {
            throw ValidationError("--location-file takes the name of a file in the folder of Sensor Logger.")
        }
        if let points, GPXOptions.Content(rawValue: points) == nil {
            throw ValidationError("\(points) are no points of GPX; write \(Self.points).")
        }
        if let track, track < 1 { throw ValidationError("--track counts from 1.") }
        if let pace, !(pace > 0 && pace.isFinite) { throw ValidationError("--pace takes metres per second, above 0.") }
        if let weeks, weeks.magnitude > 10_240 { throw ValidationError("--weeks takes at most 10240.") }
    }

    /// The same for the reader.
    var options: RecordingOptions {
        var options = RecordingOptions()
        // It was read before, when the arguments were looked at.
        options.columns = columns.flatMap { try? CSVColumnMap($0) }
        options.csv.layout = layout.flatMap { MotionCSVLayout(rawValue: $0) }
        options.csv.period = rate.map { 1 / $0 }
        options.iio.rate = rate
        options.sensorLogger.platform = platform.flatMap { SensorLoggerOptions.Platform(rawValue: $0) }
        options.sensorLogger.locationFile = locationFile
        options.gpx.content = points.flatMap { GPXOptions.Content(rawValue: $0) }
        options.gpx.number = track
        options.gpx.speed = pace
        options.nmea.date = date?.time
        options.nmea.weeks = weeks ?? 0
        return options
    }

    /// What was given, by the names of the options: what makes a recording another one.
    var description: [String: String] {
        let values: [String: String?] = [
            "columns": columns, "layout": layout, "rate": rate?.description, "platform": platform,
            "location-file": locationFile, "points": points, "track": track?.description, "pace": pace?.description,
            "date": date?.text, "weeks": weeks?.description,
        ]
        return values.compactMapValues(\.self)
    }
}

extension ImportOptions {
    /// Reads the recording that a user named, "-" for standard input; ends the verb when it cannot be read.
    func read(_ path: String) throws -> TraceFile {
        let recording = try RecordingFile.read(userPath: path, options: options)
        warnOfUnused([recording.format], recording.trace.name)
        return recording.trace
    }

    /// Reads several, and says which options none of them can use.
    func read(_ paths: [String]) throws -> [TraceFile] {
        let recordings = try paths.map { try RecordingFile.read(userPath: $0, options: options) }
        let first = recordings.first?.trace.name ?? ""
        warnOfUnused(Set(recordings.map(\.format)), recordings.count == 1 ? first : "what was given")
        return recordings.map(\.trace)
    }

    /// Says which of the options change nothing for recordings of those kinds.
    private func warnOfUnused(_ kinds: Set<RecordingFormat>, _ name: String) {
        for option in description.keys.sorted() {
            guard let (what, users) = users(of: option), users.isDisjoint(with: kinds) else { continue }
            Notes.warn("--\(option) is for \(what), and \(name) is none of these: it changes nothing.")
        }
    }

    /// What an option is for; nil for one that is for all.
    private func users(of option: String) -> (what: String, kinds: Set<RecordingFormat>)? {
        switch option {
        case "layout" where columns != nil, "rate" where columns != nil: ("tables without --columns", [])
        case "layout": ("CSV files of motion", [.csv])
        case "rate": ("CSV files of motion and buffers of libiio", [.csv, .iio])
        case "platform", "location-file": ("folders of Sensor Logger", [.sensorLogger])
        case "points", "track", "pace": ("GPX files", [.gpx])
        case "date", "weeks": ("logs of sentences (NMEA 0183)", [.nmea])
        default: nil
        }
    }
}

extension TraceFile {
    /// Reads the trace that a user named, "-" for standard input; says why when that fails, and ends the verb.
    static func read(userPath path: String) throws -> TraceFile {
        try ExitStatus.ending(ExitStatus.init(reading:)) { () throws(DeviceError) in
            path == "-"
                ? try TraceFile(contents: try TraceBytes.standardInput(), name: TraceBytes.standardInputName)
                : try TraceFile(path: path)
        }
    }
}

extension RecordingFile {
    /// Reads the recording of any kind that a user named, "-" for standard input; says what there is to say of it, and ends
    /// the verb when it cannot be read.
    ///
    /// - Parameter options: what the user knows of it.
    static func read(userPath path: String, options: RecordingOptions) throws -> RecordingFile {
        let recording = try ExitStatus.ending(ExitStatus.init(reading:)) { () throws(DeviceError) in
            path == "-"
                ? try RecordingFile.read(
                    try TraceBytes.standardInput(), name: TraceBytes.standardInputName, options: options)
                : try RecordingFile.open(path, options: options)
        }
        for remark in recording.remarks { Notes.warn("\(recording.trace.name): \(remark)") }
        return recording
    }
}

extension TraceBytes {
    static let standardInputName = "standard input"

    /// All of standard input.
    static func standardInput() throws(DeviceError) -> TraceBytes {
        try TraceBytes(stream: Descriptor.standardInput.number, name: standardInputName)
    }
}
