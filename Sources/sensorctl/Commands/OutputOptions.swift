// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DeviceCore

/// What every verb has.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print one JSON object a line.")
    var json = false
}

/// What can be watched and replayed.
enum StreamName: String, ExpressibleByArgument, CaseIterable {
    case location, accelerometer, gyro, magnetometer, pressure, orientation
}

extension StreamName {
    /// Where its readings come from; nil for the position.
    var sensor: SensorKind? {
        switch self {
        case .location: nil
        case .accelerometer, .orientation: .accelerometer
        case .gyro: .gyroscope
        case .magnetometer: .magnetometer
        case .pressure: .pressure
        }
    }
}

/// How fast a trace is played.
enum PlaybackSpeed: ExpressibleByArgument, Equatable, CustomStringConvertible {
    case max
    case times(Double)

    init?(argument: String) {
        if argument == "max" {
            self = .max
            return
        }
        guard let factor = Double(argument), factor > 0, factor.isFinite else { return nil }
        self = .times(factor)
    }

    var description: String {
        switch self {
        case .max: "max"
        case .times(let factor): factor == factor.rounded() && factor < 1e9 ? "\(Int(factor))" : "\(factor)"
        }
    }

    static var allValueStrings: [String] { ["max", "NUMBER"] }
}
