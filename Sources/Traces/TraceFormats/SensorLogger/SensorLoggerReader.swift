// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace

/// Reads a Sensor Logger folder, one file at a time.
struct SensorLoggerReader {
    /// The names of the files that identify a Sensor Logger folder. The list omits files of uncalibrated sensors,
    /// because their units depend on the platform.
    static let fileNames = [
        "Metadata.csv", "TotalAcceleration.csv", "Accelerometer.csv", "Gravity.csv", "Gyroscope.csv",
        "Magnetometer.csv", "Barometer.csv", "Location.csv", "LocationGps.csv", "LocationNetwork.csv", "Battery.csv",
    ]
    /// The longest gap over which gravity is interpolated, in nanoseconds (0.25 s).
    private static let maximumGap: Int64 = 250_000_000

    let name: String
    let options: SensorLoggerOptions
    let files: [String]
    let read: (String) throws(DeviceError) -> [UInt8]?
    private(set) var remarks: [String] = []
    /// The clock steps in the sensor file with the most steps, for a remark. Steps are detected separately in each
    /// file.
    private(set) var clockSteps: [ClockStepBack] = []

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
                "Orientation.csv was skipped, because playback computes the attitude from the sensors. Its yaw differs in direction and reference between iOS and Android."
            )
        }
        if let longest = clockSteps.map(\.correction).max() {
            remarks.append(ClockStepBack.remark(clockSteps.count, longest: longest))
        }
        recording.remarks = remarks
        setStart(of: &recording, metadata)
        recording.normalize()
        guard recording.count > 0 || recording.reports.count > 0 else {
            let hint = remarks.first ?? "Enable the motion sensors or the location in the app."
            throw .invalidTrace("\(name) contains neither motion readings nor positions. \(hint)")
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

    /// Reads the positions of one file, with times in nanoseconds since 1970. Returns nil if there are none.
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
                        "\(name) contains no file \(file). Specify another one with --location-file, or omit the option."
                    )
                }
                continue
            }
            if let found {
                remarks.append("Positions were read from \(found.name); those in \(file) were skipped.")
                continue
            }
            let reports = try bytes.withBytes { (bytes) throws(DeviceError) -> ReportTrack in
                var rows = try SensorLoggerLocation(
                    try SensorLoggerRowReader(bytes, name: "\(name)/\(file)", start: metadata.start ?? 0),
                    isWatch: file.lowercased().contains("watch"),
                    isIOS: (options.platform ?? metadata.platform) == .iOS)
                var scan = rows
                let containsMotion = try scan.containsMotion()
                var motion = DerivedMotion()
                var derivedMotionCount = 0
                var reports = ReportTrack()
                while let (time, position) = try rows.next() {
                    var report = position
                    reports.removeImpossibleValues(from: &report)
                    if !containsMotion, motion.complete(&report, at: time) { derivedMotionCount += 1 }
                    reports.append(report, at: time)
                }
                remarks.appendRemark(
                    count: derivedMotionCount,
                    "positions in \(file) have a speed or course derived from the previous position.")
                remarks += rows.remarks
                remarks.appendRemark(
                    count: rows.rowsOutOfRange, "rows of \(file) have no valid coordinates and were skipped.")
                reports.correct(reports.clockSteps)
                return reports
            }
            if reports.count > 0 { found = (file, reports) }
        }
        return found?.reports
    }

    /// Reads the phone's battery states, with times in nanoseconds since 1970.
    private mutating func battery(_ metadata: SensorLoggerMetadata) throws(DeviceError) -> BatteryTrack? {
        guard let bytes = try read("Battery.csv") else { return nil }
        return try bytes.withBytes { (bytes) throws(DeviceError) in
            var rows = try SensorLoggerRowReader(bytes, name: "\(name)/Battery.csv", start: metadata.start ?? 0)
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

    /// Reads acceleration including gravity, either from its own file or as the sum of user acceleration and gravity.
    private mutating func acceleration(_ metadata: SensorLoggerMetadata) throws(DeviceError) -> MotionTrack? {
        if let track = try track("TotalAcceleration.csv", .accelerometer, metadata), track.count > 0 { return track }
        guard var user = try track("Accelerometer.csv", .accelerometer, metadata), user.count > 0 else { return nil }
        guard var gravity = try track("Gravity.csv", .accelerometer, metadata), gravity.count > 0 else {
            remarks.append(
                "Accelerometer.csv was skipped, because it does not include gravity, and there is neither Gravity.csv nor TotalAcceleration.csv. Record Gravity too."
            )
            return nil
        }
        user.sortAndRemoveDuplicates()
        gravity.sortAndRemoveDuplicates()
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
        remarks.appendRemark(
            count: missing, "readings in Accelerometer.csv have no gravity reading within 0.25 s and were skipped.")
        return total
    }

    /// Returns gravity at the given time, interpolated linearly between two readings. Returns nil if the readings are
    /// too far apart. `next` is the index of the first reading at or after the time.
    private static func gravity(_ track: MotionTrack, _ next: Int, at time: Int64) -> SIMD3<Double>? {
        if next < track.count, track.times[next] == time { return track.values[next] }
        guard next > 0, next < track.count else {
            // On Android, the files begin and end at different times, so gravity is extrapolated from the nearest
            // reading.
            let nearest = next > 0 ? track.count - 1 : 0
            return abs(track.times[nearest].subtractingSaturated(time)) <= maximumGap ? track.values[nearest] : nil
        }
        let (before, after) = (track.times[next - 1], track.times[next])
        let gap = after.subtractingSaturated(before)
        guard gap <= maximumGap else { return nil }
        let share = Double(time.subtractingSaturated(before)) / Double(gap)
        return track.values[next - 1] + (track.values[next] - track.values[next - 1]) * share
    }

    /// Reads one file of sensor readings. Values are converted to the units that sources deliver, and times to
    /// nanoseconds since 1970.
    private mutating func track(
        _ file: String, _ kind: SensorKind, _ metadata: SensorLoggerMetadata
    ) throws(DeviceError) -> MotionTrack? {
        guard let bytes = try read(file) else { return nil }
        var track = MotionTrack(kind, from: name)
        track.sensor.name = metadata.deviceName
        let convention = metadata.convention(options)
        guard kind != .accelerometer || convention != nil else {
            let problem =
                "\(name) does not state whether it is from iOS or Android (no platform in Metadata.csv), which differ in the sign of acceleration. Specify it with --platform."
            throw .invalidTrace(([problem] + metadata.remarks).joined(separator: " "))
        }
        return try bytes.withBytes { (bytes) throws(DeviceError) -> MotionTrack in
            var rows = try SensorLoggerRowReader(bytes, name: "\(name)/\(file)", start: metadata.start ?? 0)
            var columns: [Int] = []
            for axis in kind.sensorLogger.columns { columns.append(try rows.column(axis)) }
            while try rows.reader.next() {
                var value = SIMD3<Double>.zero
                for (axis, column) in columns.enumerated() where !value.sum().isNaN {
                    value[axis] = try rows.reader.value(column)
                }
                guard !value.sum().isNaN else { continue }
                track.append(
                    kind.reading(ofSensorLogger: value, convention ?? .properAcceleration), at: try rows.time())
            }
            remarks += rows.reader.remarks
            // The rows of different files are unrelated, so clock steps are detected separately in each file.
            let steps = track.clockSteps
            track.correct(steps)
            if steps.count > clockSteps.count { clockSteps = steps }
            return track
        }
    }

    /// Sets time zero. If the first reading is less than a minute after the start time in Metadata.csv, time zero is
    /// that start time. Otherwise, it is the time of the first reading.
    private func setStart(of recording: inout Recording, _ metadata: SensorLoggerMetadata) {
        // The tracks are not sorted yet, so the earliest time is only approximate, which is sufficient.
        let times =
            recording.tracks.flatMap { $0.times.prefix(1) + $0.times.suffix(1) } + recording.reports.times.prefix(1)
            + recording.battery.times.prefix(1)
        // Without a start time, times from `seconds_elapsed` cannot be converted to civil times, so they remain
        // unchanged.
        guard var first = times.min(), first >= SensorLoggerRowReader.earliestCivilTime || metadata.start != nil else {
            return
        }
        if let start = metadata.start, start <= first, first.subtractingSaturated(start) < 60_000_000_000 {
            first = start
        }
        recording.start = .epoch
        recording.shift(by: 0 &- first)
    }
}
