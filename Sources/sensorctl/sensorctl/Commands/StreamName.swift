// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DeviceCore

/// What can be watched and replayed.
enum StreamName: String, ExpressibleByArgument, CaseIterable {
    case location, heading, accelerometer, gyro, magnetometer, pressure, orientation, accessories
    case deviceMotion = "device-motion"

    /// Reads a name; `attitude` is another one for device motion.
    init?(argument: String) {
        if argument == "attitude" {
            self = .deviceMotion
        } else {
            self.init(rawValue: argument)
        }
    }

    static var allValueStrings: [String] { allCases.map(\.rawValue) + ["attitude"] }

    /// The names in a sentence, for --help.
    static let list =
        "location, heading, attitude (or device-motion), accelerometer, gyro, magnetometer, pressure, orientation or accessories"
}

extension StreamName {
    /// The sensors without which nothing comes; none for the position and for accessories.
    var sensors: [SensorKind] {
        switch self {
        case .location, .accessories: []
        case .accelerometer, .orientation: [.accelerometer]
        case .gyro: [.gyroscope]
        case .magnetometer: [.magnetometer]
        case .pressure: [.pressure]
        case .deviceMotion: [.accelerometer, .gyroscope]
        case .heading: [.accelerometer, .magnetometer]
        }
    }

    /// True for the ones that are a sensor's own readings, by which a recording is described.
    var isSensor: Bool {
        switch self {
        case .accelerometer, .gyro, .magnetometer, .pressure: true
        case .location, .heading, .orientation, .deviceMotion, .accessories: false
        }
    }
}
