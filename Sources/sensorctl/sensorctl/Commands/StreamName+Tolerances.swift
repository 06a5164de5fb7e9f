// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import SimulatedDevice

extension StreamName {
    /// What new expectations allow: what another processor, compiler or mathematical library may make of the same readings,
    /// and no more than nobody would notice.
    var tolerances: [String: FieldTolerance] {
        switch self {
        case .location:
            return [
                "latitude": FieldTolerance(absolute: 1e-9), "longitude": FieldTolerance(absolute: 1e-9, circle: 360),
                "altitude": FieldTolerance(absolute: 1e-6), "ellipsoidalAltitude": FieldTolerance(absolute: 1e-6),
                "horizontalAccuracy": FieldTolerance(absolute: 1e-6),
                "verticalAccuracy": FieldTolerance(absolute: 1e-6), "speed": FieldTolerance(absolute: 1e-6),
                "speedAccuracy": FieldTolerance(absolute: 1e-6),
                "course": FieldTolerance(absolute: 1e-6, circle: 360),
                "courseAccuracy": FieldTolerance(absolute: 1e-6),
            ]
        case .heading:
            let angle = FieldTolerance(absolute: 0.01, circle: 360)
            let field = FieldTolerance(absolute: 0.01)
            return [
                "timestamp": FieldTolerance(absolute: 1e-6), "magneticHeading": angle, "trueHeading": angle,
                "headingAccuracy": FieldTolerance(absolute: 0.01), "x": field, "y": field, "z": field,
            ]
        case .deviceMotion:
            let acceleration = FieldTolerance(absolute: 1e-4)
            return [
                "timestamp": FieldTolerance(absolute: 1e-6), "quaternion": FieldTolerance(rotation: 0.01),
                "gravity": acceleration, "userAcceleration": acceleration,
                "rotationRate": FieldTolerance(absolute: 1e-4),
                "magneticField": FieldTolerance(absolute: 0.01), "heading": FieldTolerance(absolute: 0.01, circle: 360),
            ]
        case .accelerometer, .gyro, .magnetometer:
            let value = FieldTolerance(absolute: 1e-9, relative: 1e-9)
            return ["timestamp": FieldTolerance(absolute: 1e-6), "x": value, "y": value, "z": value]
        case .pressure:
            return [
                "timestamp": FieldTolerance(absolute: 1e-6), "pressure": FieldTolerance(relative: 1e-9),
                "relativeAltitude": FieldTolerance(absolute: 1e-4),
            ]
        case .orientation: return ["timestamp": FieldTolerance(absolute: 1e-6)]
        case .accessories: return [:]
        }
    }
}
