// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

package enum CalibrationTopic: String, CaseIterable, Sendable {
    case gyro, accelerometer, mount, magnetometer

    private var facts: (title: String, kind: SensorKind, helpers: [SensorKind]) {
        switch self {
        case .gyro: ("Gyroscope: its bias at rest", .gyroscope, [.accelerometer])
        case .accelerometer: ("Accelerometer: offset and scale of its axes", .accelerometer, [])
        case .mount: ("Mount: how the sensor sits in the device", .accelerometer, [])
        case .magnetometer:
            ("Magnetometer: the device's own magnetism", .magnetometer, [.gyroscope, .accelerometer])
        }
    }

    var title: String { facts.title }

    /// The sensor that it is about.
    package var kind: SensorKind { facts.kind }

    /// The sensor whose readings are taken: the best one of its kind.
    package func sensor(of device: Device) -> SensorDescription? {
        device.motionSource.sensors.first { $0.kind == kind }
    }

    package func subscribe(_ dialogue: CalibrationDialogue, to device: Device) -> [Subscription] {
        let source = device.motionSource
        let present = Set(source.sensors.map(\.kind))
        return ([kind] + facts.helpers.filter(present.contains)).map { kind in
            // As fast as an attitude needs; a trace gives what it has.
            let interval = device.isSimulated ? 0 : 0.01
            return source.subscribe(MotionRequest(kind: kind, interval: interval, axes: .sensor)) { event in
                dialogue.take(event, kind: kind)
            }
        }
    }

    /// What turns the readings of the sensors into the device's axes; nothing for a mount, which wants the sensor's own.
    package func mounts(of device: Device) -> [SensorKind: MountMatrix] {
        guard self != .mount else { return [:] }
        return Dictionary(device.motionSource.sensors.map { ($0.kind, $0.mountMatrix) }) { first, _ in first }
    }

    /// What is to be calibrated of these sensors, and in which order.
    ///
    /// - Parameter wanted: what the user has asked for; nil for all that makes sense.
    package static func topics(
        _ wanted: CalibrationTopic?, sensors: [SensorDescription], isTrace: Bool
    ) -> Result<[CalibrationTopic], CalibrationShortfall> {
        let kinds = Set(sensors.map(\.kind))
        if let wanted {
            if kinds.contains(wanted.kind) { return .success([wanted]) }
            let reason =
                isTrace
                ? "The recording holds no readings of \(wanted.kind.nameWithArticle)."
                : "There is no \(wanted.kind.name). `sensorctl doctor` says what is missing."
            return .failure(CalibrationShortfall(reason: reason))
        }
        // Where something already says how the chip sits, asking the user again would only bring doubt.
        let isMounted = sensors.first { $0.kind == .accelerometer }.map { !$0.mountMatrix.isIdentity } ?? false
        let topics = allCases.filter { kinds.contains($0.kind) && !($0 == .mount && isMounted) }
        guard topics.isEmpty else { return .success(topics) }
        return .failure(
            CalibrationShortfall(
                reason: isTrace
                    ? "The recording holds no motion."
                    : "There is no motion sensor. `sensorctl doctor` says what is missing."))
    }

    /// What does it.
    ///
    /// - Parameter keepsExact: true to keep a mount as it was measured.
    package func task(keepsExact: Bool) -> any CalibrationTask {
        switch self {
        case .gyro: RestTask()
        case .accelerometer: AccelerometerTask()
        case .mount: MountTask(keepsExact: keepsExact)
        case .magnetometer: MagnetometerTask()
        }
    }
}
