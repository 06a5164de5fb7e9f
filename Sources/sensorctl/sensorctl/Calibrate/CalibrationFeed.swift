// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// The readings that a calibration listens to.
enum CalibrationFeed {
    /// Subscribes to the sensor of a topic and those that help.
    static func subscribe(
        _ topic: CalibrationTopic, on device: Device, to dialogue: CalibrationDialogue
    ) -> [Subscription] {
        let source = device.motionSource
        let present = Set(source.sensors.map(\.kind))
        let kinds = [topic.kind] + topic.helpers.filter(present.contains)
        return kinds.map { kind in
            // As fast as an attitude needs; a trace gives what it has.
            let interval = device.isSimulated ? 0 : 0.01
            return source.subscribe(MotionRequest(kind: kind, interval: interval, axes: .sensor)) { event in
                dialogue.take(event, kind: kind)
            }
        }
    }

    /// What turns the readings of the sensors into the axes that a topic wants.
    static func mounts(_ topic: CalibrationTopic, of device: Device) -> [SensorKind: MountMatrix] {
        guard topic.needsDeviceAxes else { return [:] }
        return Dictionary(device.motionSource.sensors.map { ($0.kind, $0.mountMatrix) }) { first, _ in first }
    }

    /// The sensor whose readings are taken: the best one of its kind.
    static func sensor(_ topic: CalibrationTopic, of device: Device) -> SensorDescription? {
        device.motionSource.sensors.first { $0.kind == topic.kind }
    }
}
