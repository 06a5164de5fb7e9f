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
    private let options: SensorLoggerExportOptions
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

    init(_ trace: TraceFile, _ path: String, _ options: SensorLoggerExportOptions) {
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
        case .gpsdText, .lost, .regained, .sensorLost, .sensorRegained, .accessory: leftOut.add(event.contents)
        }
    }

    private mutating func take(_ value: SIMD3<Double>, _ sensor: SensorDescription, at time: Int64) throws(DeviceError)
    {
        let value =
            sensor.kind.isVector && !sensor.mountMatrix.isIdentity ? sensor.mountMatrix.apply(to: value) : value
        let written = sensor.kind.sensorLoggerValue(value)
        let (file, columns, components, _) = sensor.kind.sensorLogger
        let sheet = try sheet(file, columns)
        sheet.begin(time)
        for component in components { sheet.number(component.map { written[$0] } ?? .nan) }
        try sheet.end()
    }

    private mutating func take(_ battery: BatteryReading, at time: Int64) throws(DeviceError) {
        let sheet = try sheet("Battery", "batteryLevel,batteryState,lowPowerMode")
        sheet.begin(time)
        sheet.number(battery.level ?? .nan)
        sheet.word(battery.state.rawValue)
        sheet.word("")
        try sheet.end()
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
        var export = self
        let trace = trace
        let receiver = options.receiver
        // Typed errors do not pass through `withUnsafeBytes` on every platform that this has to build for.
        let result = trace.bytes.withUnsafeBytes { bytes -> Result<Void, DeviceError> in
            do throws(DeviceError) {
                var epochs = PositionEpochs(trace, receiver: receiver)
                while let epoch = epochs.next(bytes) { try export.write(epoch) }
                export.otherPositions = epochs.others
                export.implausible = epochs.implausible
                export.leftOut.add(.attitudes, epochs.leftOut.count(.attitudes))
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        self = export
        try result.get()
        if let receiver, !hasFix {
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
        let sheet = try sheet(
            "Location",
            "bearingAccuracy,speedAccuracy,verticalAccuracy,horizontalAccuracy,speed,bearing,altitudeAboveMeanSeaLevel,altitude,longitude,latitude"
        )
        sheet.begin(time)
        sheet.number(errors.trackError, decimals: 4, unknown: "-1")
        sheet.number(errors.speedError, decimals: 2, unknown: "-1")
        sheet.number(errors.verticalError, decimals: 3, unknown: "-1")
        sheet.number(errors.horizontalError, decimals: 3, unknown: "-1")
        sheet.number(report.speed, decimals: 3, unknown: "-1")
        sheet.number(report.track, decimals: 4, unknown: "-1")
        let hasAltitude = report.mode == .threeDimensional
        sheet.number(hasAltitude ? report.altitudeMSL : .nan, decimals: 4)
        sheet.number(report.altitudeAboveEllipsoid, decimals: 4)
        sheet.number(report.longitude, decimals: 9)
        sheet.number(report.latitude, decimals: 9)
        try sheet.end()
    }

    private func writeMetadata() throws(DeviceError) {
        let written = Self.fileNames.compactMap { sheets[$0] }
        var text = CSVWriter()
        for name in SensorLoggerMetadata.columns { text.cell(name) }
        text.endRow()
        text.cell("3")
        text.cell(header.sensors.first?.name ?? "")
        text.integer(origin / 1_000_000)
        text.cell(CivilDate(WallTime(nanoseconds: origin)).fileNameText)
        text.cell("UTC")
        // Standardised units are Android's, so the platform and the flag agree whichever a reader looks at.
        text.cell("android")
        text.cell("")
        text.cell("")
        text.cell(written.map(\.name).joined(separator: "|"))
        text.cell(written.map { String($0.period) }.joined(separator: "|"))
        text.cell("true")
        text.cell("")
        text.endRow()
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
