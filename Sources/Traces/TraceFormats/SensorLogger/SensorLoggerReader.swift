// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace

/// Reads a folder of Sensor Logger, file by file.
struct SensorLoggerReader {
    /// The files that are looked at. Those of uncalibrated sensors are not among them: they hold the same readings
    /// before the system's corrections, in units that depend on the platform.
    static let fileNames = [
        "Metadata.csv", "TotalAcceleration.csv", "Accelerometer.csv", "Gravity.csv", "Gyroscope.csv",
        "Magnetometer.csv", "Barometer.csv", "Location.csv", "LocationGps.csv", "LocationNetwork.csv", "Battery.csv",
    ]
    /// Gravity is not interpolated over more than this.
    private static let longestGap: Int64 = 250_000_000

    /// What to call the folder in messages.
    let name: String
    let options: SensorLoggerOptions
    /// The names of the files that there are.
    let files: [String]
    /// Gives the bytes of a file; nil when there is none.
    let read: (String) throws(DeviceError) -> [UInt8]?
    private(set) var remarks: [String] = []
    /// Of the file in which most of them can be seen.
    private(set) var clockSteps: [ClockStep] = []

    /// Reads everything.
    consuming func recording() throws(DeviceError) -> Recording {
        let metadata = try metadata()
        var tracks: [MotionTrack] = []
        if let track = try acceleration(metadata) { tracks.append(track) }
        for kind in SensorKind.allCases where kind != .accelerometer {
            if let track = try track(kind.sensorLogger.file, kind, metadata) { tracks.append(track) }
        }
        var recording = Recording(tracks: tracks)
        if let reports = try positions(metadata) {
            recording.reports = reports
            recording.hasPhoneAccuracies = true
        }
        if let battery = try battery(metadata) { recording.battery = battery }
        if files.contains("Orientation.csv") {
            remarks.append(
                "Orientation.csv was left out: at playback attitude is worked out from the sensors. Its yaw has another sense and another north on iOS than on Android."
            )
        }
        if let longest = clockSteps.map(\.amount).max() {
            remarks.append(ClockStep.remark(clockSteps.count, longest: longest))
        }
        recording.remarks = remarks
        setStart(of: &recording, metadata)
        recording.settle()
        guard recording.count > 0 || recording.reports.count > 0 else {
            let hint = remarks.first ?? "Switch the motion sensors or the location on in the app."
            throw DeviceError(.invalidTrace, "\(name) holds neither motion readings nor positions. \(hint)")
        }
        return recording
    }

    private mutating func metadata() throws(DeviceError) -> SensorLoggerMetadata {
        guard let bytes = try read("Metadata.csv") else { return SensorLoggerMetadata() }
        let metadata = try bytes.withBytes { (bytes) throws(DeviceError) in
            try SensorLoggerMetadata(bytes, name: "\(name)/Metadata.csv")
        }
        remarks += metadata.remarks
        return metadata
    }

    /// The positions of one file, their times in nanoseconds since 1970; nil when there are none.
    private mutating func positions(_ metadata: SensorLoggerMetadata) throws(DeviceError) -> ReportTrack? {
        let watch = files.filter { $0.lowercased().contains("watch") && $0.lowercased().contains("location") }.sorted()
        let candidates =
            options.locationFile.map { [$0] } ?? ["Location.csv", "LocationGps.csv"] + watch + ["LocationNetwork.csv"]
        var found: (name: String, reports: ReportTrack)?
        for file in candidates {
            guard let bytes = try read(file) else {
                guard options.locationFile == nil else {
                    throw DeviceError(
                        .notFound,
                        "There is no file \(file) in \(name). Name another one with --location-file, or none.")
                }
                continue
            }
            if let found {
                remarks.append("Positions were taken from \(found.name); those of \(file) were left out.")
                continue
            }
            let reports = try bytes.withBytes { (bytes) throws(DeviceError) -> ReportTrack in
                var rows = try SensorLoggerLocation(
                    try SensorLoggerRows(bytes, name: "\(name)/\(file)", start: metadata.start ?? 0),
                    isWatch: file.lowercased().contains("watch"),
                    isIOS: (options.platform ?? metadata.platform) == .iOS)
                var survey = rows
                let tellsMotion = try survey.tellsMotion()
                var motion = DerivedMotion()
                var derived = 0
                var reports = ReportTrack()
                while let (time, place) = try rows.next() {
                    var report = place
                    reports.refuseImpossibleValues(&report)
                    if !tellsMotion, motion.complete(&report, at: time) { derived += 1 }
                    reports.append(report, at: time)
                }
                remarks.tell(derived, "positions of \(file) got speed or course from the way between them.")
                remarks += rows.remarks
                remarks.tell(rows.outOfRange, "rows of \(file) have no coordinates in range and were left out.")
                reports.undo(reports.clockSteps)
                return reports
            }
            if reports.count > 0 { found = (file, reports) }
        }
        return found?.reports
    }

    /// What the phone's battery said, the times in nanoseconds since 1970; nil without the file.
    private mutating func battery(_ metadata: SensorLoggerMetadata) throws(DeviceError) -> BatteryTrack? {
        guard let bytes = try read("Battery.csv") else { return nil }
        return try bytes.withBytes { (bytes) throws(DeviceError) in
            var rows = try SensorLoggerRows(bytes, name: "\(name)/Battery.csv", start: metadata.start ?? 0)
            let level = try rows.column("batteryLevel")
            let state = rows.reader.column("batterystate")
            var track = BatteryTrack()
            while try rows.reader.next() {
                let value = try rows.reader.number(level)
                let word = state.map { rows.reader.text($0).lowercased() } ?? ""
                let reading = BatteryReading(
                    level: value.flatMap { $0 >= 0 && $0 <= 1 ? $0 : nil },
                    state: BatteryReading.State(rawValue: word) ?? .unknown)
                track.append(reading, at: try rows.time())
            }
            remarks += rows.reader.remarks
            return track
        }
    }

    /// Acceleration with gravity in it: as a file of its own, or as the sum of the two parts.
    private mutating func acceleration(_ metadata: SensorLoggerMetadata) throws(DeviceError) -> MotionTrack? {
        if let track = try track("TotalAcceleration.csv", .accelerometer, metadata), track.count > 0 { return track }
        guard var user = try track("Accelerometer.csv", .accelerometer, metadata), user.count > 0 else { return nil }
        guard var gravity = try track("Gravity.csv", .accelerometer, metadata), gravity.count > 0 else {
            remarks.append(
                "Accelerometer.csv has no gravity in it, and there is neither Gravity.csv nor TotalAcceleration.csv: it was left out. Record Gravity too."
            )
            return nil
        }
        user.settle()
        gravity.settle()
        var total = MotionTrack(.accelerometer, from: name)
        total.sensor.name = user.sensor.name
        total.reserve(user.count)
        var next = 0
        var missing = 0
        for index in 0..<user.count {
            let time = user.times[index]
            while next < gravity.count, gravity.times[next] < time { next += 1 }
            if let part = Self.gravity(gravity, next, at: time) {
                total.append(user.values[index] + part, at: time)
            } else {
                missing += 1
            }
        }
        remarks.tell(missing, "readings of Accelerometer.csv have no gravity within 0.25 s and were left out.")
        return total
    }

    /// Gravity at a time, on the straight line between its neighbours; nil when they are too far away.
    ///
    /// - Parameter next: the first reading that is not before the time.
    private static func gravity(_ track: MotionTrack, _ next: Int, at time: Int64) -> SIMD3<Double>? {
        if next < track.count, track.times[next] == time { return track.values[next] }
        guard next > 0, next < track.count else {
            // At both ends, which Android's separate clocks of the two do not share, the nearest one serves.
            let nearest = next > 0 ? track.count - 1 : 0
            return abs(track.times[nearest].subtractingSaturated(time)) <= longestGap ? track.values[nearest] : nil
        }
        let (before, after) = (track.times[next - 1], track.times[next])
        let gap = after.subtractingSaturated(before)
        guard gap <= longestGap else { return nil }
        let share = Double(time.subtractingSaturated(before)) / Double(gap)
        return track.values[next - 1] + (track.values[next] - track.values[next - 1]) * share
    }

    /// The readings of one file in the units of sources, their times in nanoseconds since 1970; nil without the file.
    private mutating func track(
        _ file: String, _ kind: SensorKind, _ metadata: SensorLoggerMetadata
    ) throws(DeviceError) -> MotionTrack? {
        guard let bytes = try read(file) else { return nil }
        var track = MotionTrack(kind, from: name)
        track.sensor.name = metadata.deviceName
        let convention = metadata.convention(options)
        guard kind != .accelerometer || convention != nil else {
            let problem =
                "\(name) does not say whether it comes from iOS or Android (no platform in Metadata.csv), and their signs of acceleration differ. --platform says which."
            throw DeviceError(.invalidTrace, ([problem] + metadata.remarks).joined(separator: " "))
        }
        return try bytes.withBytes { (bytes) throws(DeviceError) -> MotionTrack in
            var rows = try SensorLoggerRows(bytes, name: "\(name)/\(file)", start: metadata.start ?? 0)
            var columns: [Int] = []
            for axis in kind.sensorLogger.columns { columns.append(try rows.column(axis)) }
            while try rows.reader.next() {
                var value = SIMD3<Double>.zero
                for (axis, column) in columns.enumerated() where !value.sum().isNaN {
                    value[axis] = try rows.reader.value(column)
                }
                // A row that lacks a number is none.
                guard !value.sum().isNaN else { continue }
                track.append(
                    kind.reading(ofSensorLogger: value, convention ?? .properAcceleration), at: try rows.time())
            }
            remarks += rows.reader.remarks
            // Each file has rows of its own, and shows by itself when the clock was set back.
            let steps = track.clockSteps
            track.undo(steps)
            if steps.count > clockSteps.count { clockSteps = steps }
            return track
        }
    }

    /// Time zero is the start that Metadata.csv tells when the readings agree with it, else the first reading.
    private func setStart(of recording: inout Recording, _ metadata: SensorLoggerMetadata) {
        // Not settled yet, so that the first one need not be the earliest; it is near enough.
        let times =
            recording.tracks.flatMap { $0.times.prefix(1) + $0.times.suffix(1) } + recording.reports.times.prefix(1)
            + recording.battery.times.prefix(1)
        // Without a start, seconds that count from it are not since 1970; they stay as they are.
        guard var first = times.min(), first >= SensorLoggerRows.earliest || metadata.start != nil else { return }
        if let start = metadata.start, start <= first, first.subtractingSaturated(start) < 60_000_000_000 {
            first = start
        }
        recording.start = .epoch
        recording.shift(by: 0 &- first)
    }
}
