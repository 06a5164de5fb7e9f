// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes

extension TraceHeader {
    /// Parses the sensors and their calibrations. Skips invalid sensors and repeated IDs.
    static func readSensors(
        _ reader: inout JSONReader
    ) throws(JSONError) -> ([SensorDescription], [SensorDescription.ID: SensorCalibration]) {
        var sensors: [SensorDescription] = []
        var calibrations: [SensorDescription.ID: SensorCalibration] = [:]
        guard try reader.beginArrayIfPresent() else { return (sensors, calibrations) }
        while try reader.nextElement() {
            guard try reader.beginObjectIfPresent(reading: sensors.count < TraceSensors.maximumCount) else { continue }
            var calibration: SensorCalibration?
            guard var sensor = try readSensor(&reader, &calibration), !sensors.contains(where: { $0.id == sensor.id })
            else { continue }
            if let calibration {
                if let problem = calibration.problem(for: sensor.kind) {
                    sensor.remarks.append("The calibration in the trace is ignored, because \(problem).")
                } else {
                    calibrations[sensor.id] = calibration
                }
            }
            sensors.append(sensor)
        }
        return (sensors, calibrations)
    }

    private static func readSensor(
        _ reader: inout JSONReader, _ calibration: inout SensorCalibration?
    ) throws(JSONError) -> SensorDescription? {
        var sensor = SensorDescription(id: "", kind: .accelerometer)
        var kind: SensorKind?
        sensor.mode = .recorded
        while let key = try reader.nextKey() {
            switch key.word {
            // `word` distinguishes keys of at most 8 bytes. Longer keys require `equals`.
            case JSONText.word("id"): sensor.id = try text(&reader)
            case JSONText.word("kind"): kind = SensorKind(rawValue: try text(&reader))
            case JSONText.word("name"): sensor.name = try text(&reader)
            case JSONText.word("label"): sensor.label = try text(&reader)
            case JSONText.word("location"): sensor.location = try text(&reader)
            case JSONText.word("source"): sensor.source = try text(&reader)
            case JSONText.word("serial"): sensor.serial = try text(&reader)
            case JSONText.word("path"): sensor.path = try text(&reader)
            case _ where key.equals("calibration"): calibration = try SensorCalibration.read(&reader)
            case JSONText.word("rates"): sensor.rates = try readRates(&reader)
            case JSONText.word("clock"): sensor.clock = try text(&reader)
            case _ where key.equals("mountMatrix"): sensor.setMountMatrix(from: try text(&reader))
            case _ where key.equals("mountMatrixOrigin"): sensor.mountMatrixOrigin = try text(&reader)
            default: try reader.skipValue()
            }
        }
        guard let kind, TraceSensors.isValid(idLength: sensor.id.utf8.count) else { return nil }
        sensor.kind = kind
        return sensor
    }

    private static func readRates(_ reader: inout JSONReader) throws(JSONError) -> SensorRates {
        switch try reader.peekKind() {
        case .array:
            var rates: [Double] = []
            try reader.beginArray()
            while try reader.nextElement() {
                let rate = try reader.doubleIfPresent()
                if rate > 0, rate.isFinite, rates.count < maximumEntries { rates.append(rate) }
            }
            return rates.isEmpty ? .unknown : .list(rates.sorted())
        case .object:
            var (minimum, step, maximum) = (Double.nan, 0.0, Double.nan)
            try reader.beginObject()
            while let key = try reader.nextKey() {
                switch key.word {
                case JSONText.word("minimum"): minimum = try reader.doubleIfPresent()
                case JSONText.word("step"): step = try reader.doubleIfPresent()
                case JSONText.word("maximum"): maximum = try reader.doubleIfPresent()
                default: try reader.skipValue()
                }
            }
            guard minimum >= 0, minimum <= maximum, maximum.isFinite, step >= 0, step.isFinite else { return .unknown }
            return .range(minimum: minimum, step: step, maximum: maximum)
        default:
            try reader.skipValue()
            return .unknown
        }
    }

    static func write(_ sensor: SensorDescription, _ calibration: SensorCalibration?, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("id", sensor.id)
            writer.member("kind", sensor.kind.rawValue)
            writer.memberUnlessEmpty("name", sensor.name)
            writer.memberUnlessEmpty("label", sensor.label)
            writer.memberUnlessEmpty("location", sensor.location)
            writer.memberUnlessEmpty("source", sensor.source)
            writer.memberUnlessEmpty("serial", sensor.serial)
            writer.memberUnlessEmpty("path", sensor.path)
            write(sensor.rates, to: &writer)
            if sensor.kind.isVector || !sensor.mountMatrix.isIdentity {
                writer.member("mountMatrix", sensor.mountMatrix.text)
            }
            writer.memberUnlessEmpty("mountMatrixOrigin", sensor.mountMatrixOrigin)
            writer.memberUnlessEmpty("clock", sensor.clock)
            writer.memberIfPresent("calibration", calibration)
        }
    }

    private static func write(_ rates: SensorRates, to writer: inout JSONWriter) {
        switch rates {
        case .unknown: break
        case .list(let rates):
            let known = rates.filter { $0 > 0 && $0.isFinite }
            if !known.isEmpty { writer.member("rates", known) }
        case .range(let minimum, let step, let maximum):
            guard minimum.isFinite, step.isFinite, maximum.isFinite else { return }
            writer.object("rates") { writer in
                writer.member("minimum", minimum)
                writer.member("step", step)
                writer.member("maximum", maximum)
            }
        }
    }
}

extension SensorDescription {
    /// Sets the mount matrix, or adds a remark if the text is malformed or the matrix is singular.
    fileprivate mutating func setMountMatrix(from text: String) {
        guard let matrix = MountMatrix(text) else {
            remarks.append("The mount matrix in the trace is ignored, because it does not consist of nine numbers.")
            return
        }
        guard !matrix.isSingular else {
            remarks.append("The mount matrix in the trace is ignored, because it is singular.")
            return
        }
        mountMatrix = matrix
    }
}
