// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import NMEAFormat
import Trace
import TraceEditing

/// Writes a trace as the files of Sensor Logger, event by event.
struct SensorLoggerExport {
    /// The receiver's times count as long as they are not farther from those of arrival than this, in nanoseconds.
    private static let longestDelay: Int64 = 60_000_000_000
    /// The files that may be written.
    static let fileNames = ["Metadata"] + SensorKind.allCases.map(\.sensorLogger.file) + ["Location", "Battery"]

    private static var files: [String] { fileNames.map { "\($0).csv" } }

    private let trace: TraceFile
    private let path: String
    private let options: ExportOptions
    private let header: TraceHeader
    private let origin: Int64
    private var sensors: [SensorKind: SensorDescription] = [:]
    private var sheets: [String: SensorLoggerSheet] = [:]
    private var otherSensors = 0
    private var leftOut = LeftOut()
    private var otherPositions = 0
    private var hasFix = false
    private var distant = 0
    private var undefinedAltitudes = 0
    private var climbs = 0
    private var implausible = 0

    init(_ trace: TraceFile, _ path: String, _ options: ExportOptions) {
        self.trace = trace
        self.path = path
        self.options = options
        header = TraceReading.header(of: trace)
        origin = header.start?.wallTime.nanoseconds ?? 0
        for sensor in header.sensors where sensors[sensor.kind] == nil { sensors[sensor.kind] = sensor }
    }

    /// Writes the folder, and returns remarks.
    mutating func write() throws(DeviceError) -> [String] {
        var reading = TraceReading(trace)
        if let battery = header.battery { try take(battery, at: 0) }
        while let event = reading.next() { try take(event) }
        try writePositions()
        guard !sheets.isEmpty else {
            throw DeviceError(
                .invalidTrace,
                "\(trace.name) holds neither motion readings nor positions, so there is nothing to write.")
        }
        for sheet in sheets.values { try sheet.close() }
        try writeMetadata()
        // What is left of another recording would be taken for a part of this one.
        let unwritten = Self.fileNames.filter { sheets[$0] == nil && $0 != "Metadata" }
        try Folder.remove(unwritten.map { "\($0).csv" }, from: path)
        return remarks + reading.warnings.map(\.description)
    }

    private mutating func take(_ event: TraceEvent) throws(DeviceError) {
        let time = event.time ?? 0
        switch event.contents {
        case .sample(let value, let kind, let id, let stamp):
            guard let sensor = sensors[kind], sensor.id == id else {
                otherSensors += 1
                return
            }
            try take(value, sensor, at: stamp ?? time)
        case .battery(let reading?): try take(reading, at: time)
        case .battery(nil): break
        // In a run of their own.
        case .gpsd: break
        case .gpsdText: leftOut.add(LeftOut.Kind.texts)
        case .accessory: leftOut.add(LeftOut.Kind.accessories)
        case .lost, .regained, .sensorLost, .sensorRegained: leftOut.add(LeftOut.Kind.losses)
        }
    }

    private mutating func take(_ value: SIMD3<Double>, _ sensor: SensorDescription, at time: Int64) throws(DeviceError)
    {
        let value =
            sensor.kind.isVector && !sensor.mountMatrix.isIdentity ? sensor.mountMatrix.apply(to: value) : value
        let written = sensor.kind.sensorLoggerValue(value)
        let (file, columns, components, _) = sensor.kind.sensorLogger
        try sheet(file, columns).row(at: time) { row in
            for component in components { row.number(component.map { written[$0] } ?? .nan) }
        }
    }

    private mutating func take(_ battery: BatteryReading, at time: Int64) throws(DeviceError) {
        try sheet("Battery", "batteryLevel,batteryState,lowPowerMode").row(at: time) {
            $0.number(battery.level ?? .nan)
            $0.cell(battery.state.rawValue)
            $0.cell("")
        }
    }

    /// The file of that name, made when it is needed first.
    private mutating func sheet(_ name: String, _ columns: StaticString) throws(DeviceError) -> SensorLoggerSheet {
        if let known = sheets[name] { return known }
        if sheets.isEmpty {
            try Folder.make(path, for: Self.files, overwrite: options.overwrite)
        }
        let sheet = try SensorLoggerSheet(
            name, columns: columns, folder: path, overwrite: options.overwrite, origin: origin)
        sheets[name] = sheet
        return sheet
    }

    /// Positions, one for each epoch, in a run of their own: gpsd may report an epoch several times.
    private mutating func writePositions() throws(DeviceError) {
        var epochs = PositionEpochs(trace, receiver: options.receiver)
        while let epoch = trace.bytes.withUnsafeBytes({ epochs.next($0) }) { try write(epoch) }
        otherPositions = epochs.others
        implausible = epochs.implausible
        leftOut.add(.attitudes, epochs.leftOut.count(.attitudes))
        if let receiver = options.receiver, !hasFix {
            throw DeviceError(.invalidTrace, "\(trace.name) holds no positions of the receiver \(receiver).")
        }
    }

    private mutating func write(_ epoch: PositionEpochs.Epoch) throws(DeviceError) {
        let report = epoch.report
        hasFix = true
        var time = epoch.arrival ?? report.time.map { $0.nanoseconds.subtractingSaturated(origin) } ?? 0
        if let measured = report.time?.nanoseconds.subtractingSaturated(origin) {
            if measured.subtractingSaturated(time).magnitude <= Self.longestDelay.magnitude {
                time = measured
            } else {
                distant += 1
            }
        }
        if !report.climb.isNaN { climbs += 1 }
        if report.altitudeHAE.isNaN, report.altitudeMSL.isNaN, !report.altitudeUndefined.isNaN {
            undefinedAltitudes += 1
        }
        let errors = header.hasPhoneAccuracies ? report : report.with(errors: .sixtyEight, insteadOf: .ninetyFive)
        let hasAltitude = report.mode == .threeDimensional
        let columns: StaticString =
            "bearingAccuracy,speedAccuracy,verticalAccuracy,horizontalAccuracy,speed,bearing,altitudeAboveMeanSeaLevel,altitude,longitude,latitude"
        try sheet("Location", columns).row(at: time) {
            $0.number(errors.trackError, decimals: 4, unknown: "-1")
            $0.number(errors.speedError, decimals: 2, unknown: "-1")
            $0.number(errors.verticalError, decimals: 3, unknown: "-1")
            $0.number(errors.horizontalError, decimals: 3, unknown: "-1")
            $0.number(report.speed, decimals: 3, unknown: "-1")
            $0.number(report.track, decimals: 4, unknown: "-1")
            $0.number(hasAltitude ? report.altitudeMSL : .nan, decimals: 4)
            $0.number(report.altitudeAboveEllipsoid, decimals: 4)
            $0.number(report.longitude, decimals: 9)
            $0.number(report.latitude, decimals: 9)
        }
    }

    private func writeMetadata() throws(DeviceError) {
        let written = Self.fileNames.compactMap { sheets[$0] }
        var text = CSVWriter()
        // Standardised units are Android's, so the platform and the flag agree whichever a reader looks at.
        let values = [
            "3", header.sensors.first?.name ?? "", String(origin / 1_000_000),
            CivilDate(WallTime(nanoseconds: origin)).fileNameText, "UTC", "android", "", "",
            written.map(\.name).joined(separator: "|"), written.map { String($0.period) }.joined(separator: "|"),
            "true",
            "",
        ]
        for row in [SensorLoggerMetadata.columns, values] {
            for cell in row { text.cell(cell) }
            text.endRow()
        }
        try Folder.write([("Metadata.csv", text.bytes)], to: path, overwrite: options.overwrite)
    }

    private var remarks: [String] {
        var remarks: [String] = []
        if header.start == nil {
            remarks.append("The trace does not say when it was, so that the times of the files begin in 1970.")
        }
        if otherSensors > 0 {
            remarks.append(
                "\(otherSensors) readings of further sensors were left out: Sensor Logger has one of each kind.")
        }
        remarks += leftOut.remarks()
        if otherPositions > 0 {
            remarks.append(
                "\(otherPositions) positions of other receivers were left out. --receiver names another one.")
        }
        if hasFix {
            remarks.append(
                "Sensor Logger has no place for satellites, dilutions and the times at which positions arrived.")
        }
        if climbs > 0 { remarks.append("The climb of \(climbs) positions was left out.") }
        if implausible > 0 { remarks.append(EpochAssembler.remark(implausible: implausible)) }
        if undefinedAltitudes > 0 {
            remarks.append(
                "The altitudes of \(undefinedAltitudes) positions do not say above what; they were left out.")
        }
        if distant > 0 {
            remarks.append(
                "\(distant) positions have a time more than a minute from the one at which they came; the latter was written."
            )
        }
        return remarks
    }
}

/// One file of Sensor Logger that is being written.
private final class SensorLoggerSheet {
    /// The name of the file without its ending, which is what Metadata.csv calls the sensor.
    let name: String
    private var file: ExportFile
    private var text = CSVWriter()
    private let origin: Int64
    private var count = 0
    private var span: (first: Int64, last: Int64) = (0, 0)

    /// Makes the file and writes its header.
    ///
    /// - Parameters:
    ///   - columns: those behind the two of time.
    ///   - origin: nanoseconds since 1970 at time zero.
    init(_ name: String, columns: StaticString, folder: String, overwrite: Bool, origin: Int64) throws(DeviceError) {
        self.name = name
        self.origin = origin
        file = try ExportFile(path: "\(folder)/\(name).csv", overwrite: overwrite)
        file.text("time,seconds_elapsed,")
        file.text(columns)
        file.text("\n")
    }

    /// Writes a row: its two times, in nanoseconds since the start, and what the closure adds.
    func row(at time: Int64, _ cells: (inout CSVWriter) -> Void) throws(DeviceError) {
        span = (count == 0 ? time : span.first, time)
        count += 1
        text.integer(origin.addingSaturated(time))
        text.seconds(time)
        cells(&text)
        text.endRow()
        file.bytes.append(contentsOf: text.takeBytes())
        try file.flushIfLarge()
    }

    /// Writes what is left.
    func close() throws(DeviceError) { try file.close() }

    /// Milliseconds from row to row; 0 when there are not two.
    var period: Int64 {
        guard count > 1 else { return 0 }
        return Int64((Double(span.last.subtractingSaturated(span.first)) / Double(count - 1) / 1e6).rounded())
    }
}

extension CivilDate {
    /// A time like 2026-11-21_03-39-16 for a name; the fraction of a second is cut off.
    var fileNameText: String {
        var bytes: [UInt8] = []
        for (index, part) in [year, month, day, hour, minute, second].enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: index == 3 ? "_" : "-")) }
            Self.append(part, digits: index == 0 ? 4 : 2, to: &bytes)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
