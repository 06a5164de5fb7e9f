// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Reads tables of phyphox into a recording.
struct PhyphoxReader {
    /// The vectors that are read.
    private static var vectors: [(kind: SensorKind, column: (Int) -> PhyphoxColumn)] {
        [
            (.accelerometer, PhyphoxColumn.acceleration), (.gyroscope, PhyphoxColumn.rate),
            (.magnetometer, PhyphoxColumn.field),
        ]
    }

    /// What to call the folder or file in messages.
    let name: String
    private let clock: PhyphoxClock
    private let deviceName: String
    private var tracks: [SensorKind: MotionTrack] = [:]
    private var reports = ReportTrack()
    private var hasLinear = false
    private var repeated: Set<String> = []
    private var timeless = 0
    private var derived = 0
    private var strangers = 0

    /// - Parameter read: gives the bytes of `meta/time.csv` and `meta/device.csv`; nil when there is no such file.
    init(name: String, read: (String) throws(DeviceError) -> [UInt8]?) throws(DeviceError) {
        self.name = name
        var clock = PhyphoxClock()
        if let bytes = try read("meta/time.csv") {
            clock = try bytes.borrowed { (bytes) throws(DeviceError) in
                try PhyphoxClock(bytes, name: "\(name)/meta/time.csv")
            }
        }
        var deviceName = ""
        if let bytes = try read("meta/device.csv") {
            deviceName = try bytes.borrowed { (bytes) throws(DeviceError) in
                try Self.deviceName(bytes, name: "\(name)/meta/device.csv")
            }
        }
        self.clock = clock
        self.deviceName = deviceName
    }

    /// The phone's model, of a table of properties and values.
    private static func deviceName(_ bytes: UnsafeRawBufferPointer, name: String) throws(DeviceError) -> String {
        var reader = try CSVReader(bytes, name: name)
        try reader.readHeader(allowsRepeatedNames: true)
        while try reader.next() {
            if reader.text(0).lowercased() == "devicemodel" { return String(reader.text(1).prefix(100)) }
        }
        return ""
    }

    /// Reads one table. Returns false when it is none of phyphox.
    ///
    /// - Parameter sheet: its name, without the ending.
    mutating func read(_ bytes: [UInt8], path: String, sheet: String) throws(DeviceError) -> Bool {
        let isOurs = try bytes.borrowed { (bytes) throws(DeviceError) -> Bool in
            guard let table = try PhyphoxSheet(bytes, name: path, sheet: sheet) else { return false }
            try take(table)
            return true
        }
        if !isOurs { strangers += 1 }
        return isOurs
    }

    private mutating func take(_ sheet: consuming PhyphoxSheet) throws(DeviceError) {
        var sheet = sheet
        var new: [(kind: SensorKind, column: ((Int) -> PhyphoxColumn)?, track: MotionTrack)] = []
        for (kind, column) in Self.vectors where sheet.hasVector(column) {
            if accepts(kind) { new.append((kind, column, track(kind))) }
        }
        if sheet.has(.pressure), accepts(.pressure) { new.append((.pressure, nil, track(.pressure))) }
        if sheet.hasVector(PhyphoxColumn.linearAcceleration) { hasLinear = true }
        var hasPlace = sheet.has(.latitude) && sheet.has(.longitude)
        if hasPlace, reports.count > 0 {
            repeated.insert("positions")
            hasPlace = false
        }
        let derives = hasPlace && (!sheet.has(.speed) || !sheet.has(.direction))
        var motion = DerivedMotion()
        var positions = ReportTrack()
        while let experiment = try sheet.next() {
            let time = clock.traceTime(experiment)
            for index in new.indices {
                if let column = new[index].column {
                    guard let value = try sheet.vector(column) else { continue }
                    new[index].track.append(
                        new[index].kind == .magnetometer ? SampleConventions.gauss(microtesla: value) : value, at: time)
                } else {
                    let value = try sheet.number(.pressure)
                    guard !value.isNaN else { continue }
                    new[index].track.append([SampleConventions.kilopascal(hectopascal: value), 0, 0], at: time)
                }
            }
            guard hasPlace, var report = try sheet.position() else { continue }
            report.time = clock.start.map { WallTime(nanoseconds: $0.nanoseconds.addingSaturated(time)) }
            if derives, motion.complete(&report, at: time) { derived += 1 }
            if let count = try sheet.satellites() {
                var sky = SkyReport()
                sky.time = report.time
                sky.usedCount = count
                positions.append(sky, at: time)
            }
            positions.append(report, at: time)
        }
        for (kind, _, track) in new where track.count > 0 { tracks[kind] = track }
        if positions.count > 0 { reports = positions }
        timeless += sheet.timeless
    }

    /// True for a sensor that was not in another table.
    private mutating func accepts(_ kind: SensorKind) -> Bool {
        guard tracks[kind] != nil else { return true }
        repeated.insert("the \(kind.rawValue)")
        return false
    }

    private func track(_ kind: SensorKind) -> MotionTrack {
        var track = MotionTrack(kind, from: name)
        track.sensor.name = deviceName
        return track
    }

    /// Everything that was read, in order.
    consuming func recording() throws(DeviceError) -> Recording {
        var recording = Recording(tracks: SensorKind.allCases.compactMap { tracks[$0] }, start: clock.start)
        recording.reports = reports
        recording.hasPhoneAccuracies = reports.count > 0
        if hasLinear, tracks[.accelerometer] == nil {
            recording.remarks.append(
                "Acceleration without gravity was left out: record acceleration with g, which says where up is.")
        }
        if clock.start == nil {
            recording.remarks.append(
                "Nothing says when it was recorded; in a folder of phyphox meta/time.csv does.")
        }
        if clock.setBack > 0 {
            recording.remarks.append(
                "The phone's clock was set back in \(clock.setBack) pauses; the trace goes on there without a gap.")
        }
        for what in repeated.sorted() {
            recording.remarks.append("Several tables hold \(what); the first one was taken.")
        }
        if timeless > 0 { recording.remarks.append("\(timeless) rows have no time and were left out.") }
        if derived > 0 {
            recording.remarks.append("\(derived) positions got speed or course from the way between them.")
        }
        if strangers > 0 {
            recording.remarks.append("\(strangers) other tables hold nothing that is read and were passed over.")
        }
        recording.settle()
        guard recording.count > 0 || recording.reports.count > 0 else {
            let hint = recording.remarks.first ?? "Are there rows below the header?"
            throw DeviceError(.invalidTrace, "\(name) holds neither motion readings nor positions. \(hint)")
        }
        return recording
    }
}
