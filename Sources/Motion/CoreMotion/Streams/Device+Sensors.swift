// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

extension Device {
    /// True when it has a sensor of that kind now.
    func has(_ kind: SensorKind) -> Bool { sensor(kind) != nil }

    /// The best sensor of that kind.
    func sensor(_ kind: SensorKind) -> SensorDescription? { motionSource.sensors.first { $0.kind == kind } }
}
