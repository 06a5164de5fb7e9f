// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Which of several sensors of one kind is the best.
enum SensorOrder {
    /// Sensors of all contexts, the best first within each kind; those that are alike stay in order.
    static func sorted(_ sensors: [SensorDescription]) -> [SensorDescription] {
        sensors.enumerated().sorted { left, right in
            let (a, b) = (rank(left.element), rank(right.element))
            return a == b ? left.offset < right.offset : a < b
        }.map(\.element)
    }

    /// Less is better. Convertibles have an accelerometer in the keyboard's half too, which says nothing of the screen.
    private static func rank(_ sensor: SensorDescription) -> Int {
        let isBase = sensor.location == "base" || sensor.label == "accel-base"
        let place = isBase ? 2 : sensor.location == "lid" ? 1 : 0
        return place * 2 + (sensor.mode == .polled ? 1 : 0)
    }
}
