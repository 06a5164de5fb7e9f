// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DeviceCore
import SimulatedDevice

/// The streams of `watch` and `replay`. To add a stream, add a case, an entry in ``facts`` and a listener in
/// `ListenerOptions`. The raw values are public API: they appear in arguments, JSON and files of expected callbacks.
enum StreamName: String, ExpressibleByArgument, CaseIterable {
    case location, heading, accelerometer, gyro, magnetometer, pressure, orientation, steps, activity, accessories
    case beacons, regions, monitor, visits
    case deviceMotion = "device-motion"

    fileprivate struct Facts {
        /// The plural noun for the stream's callbacks in messages.
        var noun = "readings"
        var alias: String?
        /// The sensors that the stream requires. Position, accessory and beacon streams require none.
        var sensors: [SensorKind] = []
        /// True if the stream delivers readings from a single sensor.
        var isSensor = false
        /// True if a manager computes the stream by fusing readings from several sensors.
        var isFused = false
        var unit = ""
        /// The minimum range of values covered by a sparkline, in the readings' unit.
        var span = 1.0
        /// The default tolerances for comparing callbacks with expected callbacks. They allow for differences between
        /// processors, compilers and math libraries, but not for differences that a user would notice.
        var tolerances: [String: FieldTolerance] = [:]
    }

    private var facts: Facts {
        switch self {
        case .location: Facts(noun: "locations", tolerances: Self.locationTolerances)
        case .heading:
            Facts(sensors: [.accelerometer, .magnetometer], isFused: true, tolerances: Self.headingTolerances)
        case .deviceMotion:
            Facts(
                alias: "attitude", sensors: [.accelerometer, .gyroscope], isFused: true,
                tolerances: Self.attitudeTolerances)
        case .accelerometer: .sensor(.accelerometer, unit: "g", span: 2)
        case .gyro: .sensor(.gyroscope, unit: "rad/s", span: 5)
        case .magnetometer: .sensor(.magnetometer, unit: "µT", span: 100)
        case .pressure:
            Facts(
                sensors: [.pressure], isSensor: true, unit: "kPa",
                tolerances: [
                    "timestamp": Self.time, "pressure": FieldTolerance(relative: 1e-9),
                    "relativeAltitude": FieldTolerance(absolute: 1e-4),
                ])
        case .orientation: Facts(sensors: [.accelerometer], tolerances: ["timestamp": Self.time])
        case .steps: Facts(sensors: [.accelerometer], tolerances: Self.stepTolerances)
        case .activity: Facts(noun: "activities", sensors: [.accelerometer])
        case .accessories: Facts(noun: "changes")
        case .regions, .monitor: Facts(noun: "events")
        case .visits: Facts(noun: "visits", tolerances: Self.visitTolerances)
        case .beacons: Facts(noun: "reports", tolerances: ["accuracy": FieldTolerance(relative: 1e-9)])
        }
    }

    var noun: String { facts.noun }
    var sensors: [SensorKind] { facts.sensors }
    var isSensor: Bool { facts.isSensor }
    var isFused: Bool { facts.isFused }
    var unit: String { facts.unit }
    var span: Double { facts.span }
    var tolerances: [String: FieldTolerance] { facts.tolerances }

    init?(argument: String) {
        guard let stream = Self.allCases.first(where: { $0.rawValue == argument || $0.facts.alias == argument }) else {
            return nil
        }
        self = stream
    }

    /// The names of the stream on the command line, beginning with the usual one.
    var names: [String] { [facts.alias, rawValue].compactMap(\.self) }

    /// The contents of the stream for the help text of commands.
    var summary: String {
        let content = unit.isEmpty ? noun : "\(noun) in \(unit)"
        return sensors.isEmpty ? content : "\(content), from the \(sensors.map(\.name).joined(separator: " and the "))"
    }

    static var allValueStrings: [String] { ordered.flatMap(\.names) }

    /// The streams in the order of help texts: location and the fused streams come first.
    static let ordered = [.location] + allCases.filter(\.isFused) + allCases.filter { $0 != .location && !$0.isFused }
}

extension StreamName.Facts {
    fileprivate static func sensor(_ kind: SensorKind, unit: String, span: Double) -> Self {
        let value = FieldTolerance(absolute: 1e-9, relative: 1e-9)
        return Self(
            sensors: [kind], isSensor: true, unit: unit, span: span,
            tolerances: ["timestamp": StreamName.time, "x": value, "y": value, "z": value])
    }
}

extension StreamName {
    fileprivate static let time = FieldTolerance(absolute: 1e-6)

    private static var locationTolerances: [String: FieldTolerance] {
        let value = FieldTolerance(absolute: 1e-6)
        let plain = [
            "altitude", "ellipsoidalAltitude", "horizontalAccuracy", "verticalAccuracy", "speed", "speedAccuracy",
            "courseAccuracy",
        ]
        return Dictionary(uniqueKeysWithValues: plain.map { ($0, value) }).merging([
            "latitude": FieldTolerance(absolute: 1e-9), "longitude": FieldTolerance(absolute: 1e-9, circle: 360),
            "course": FieldTolerance(absolute: 1e-6, circle: 360),
        ]) { $1 }
    }

    private static var visitTolerances: [String: FieldTolerance] {
        [
            "latitude": FieldTolerance(absolute: 1e-9), "longitude": FieldTolerance(absolute: 1e-9, circle: 360),
            "horizontalAccuracy": FieldTolerance(absolute: 1e-6),
        ]
    }

    private static var headingTolerances: [String: FieldTolerance] {
        let angle = FieldTolerance(absolute: 0.01, circle: 360)
        let value = FieldTolerance(absolute: 0.01)
        return [
            "timestamp": time, "magneticHeading": angle, "trueHeading": angle, "headingAccuracy": value, "x": value,
            "y": value, "z": value,
        ]
    }

    private static var stepTolerances: [String: FieldTolerance] {
        let value = FieldTolerance(absolute: 1e-4, relative: 1e-6)
        return ["distance": value, "currentPace": value, "currentCadence": value]
    }

    private static var attitudeTolerances: [String: FieldTolerance] {
        let value = FieldTolerance(absolute: 1e-4)
        return [
            "timestamp": time, "quaternion": FieldTolerance(rotation: 0.01), "gravity": value,
            "userAcceleration": value, "rotationRate": value, "magneticField": FieldTolerance(absolute: 0.01),
            "heading": FieldTolerance(absolute: 0.01, circle: 360),
        ]
    }
}
