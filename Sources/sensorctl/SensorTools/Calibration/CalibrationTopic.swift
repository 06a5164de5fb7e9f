// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

/// A kind of calibration. The raw values are arguments of the `calibrate` command and values in its JSON output.
package enum CalibrationTopic: String, CaseIterable, Sendable {
    case gyro, accelerometer, mount, magnetometer

    private var attributes: (title: String, kind: SensorKind, helpers: [SensorKind]) {
        switch self {
        case .gyro: ("Gyroscope: bias at rest", .gyroscope, [.accelerometer])
        case .accelerometer: ("Accelerometer: offset and scale of the axes", .accelerometer, [])
        case .mount: ("Mount: orientation of the sensor in the device", .accelerometer, [])
        case .magnetometer:
            ("Magnetometer: the device's own magnetic field", .magnetometer, [.gyroscope, .accelerometer])
        }
    }

    var title: String { attributes.title }
    package var kind: SensorKind { attributes.kind }

    /// Returns the sensor to calibrate: the preferred sensor of the topic's kind.
    package func sensor(of device: Device) -> SensorDescription? {
        device.motionSource.sensors.first { $0.kind == kind }
    }

    package func subscribe(_ dialogue: CalibrationDialogue, to device: Device) -> [Subscription] {
        let source = device.motionSource
        let present = Set(source.sensors.map(\.kind))
        return ([kind] + attributes.helpers.filter(present.contains)).map { kind in
            // Live sensors run at 100 Hz, which is sufficient to compute an attitude. For a trace, an interval of 0
            // requests all readings.
            let interval = device.isSimulated ? 0 : 0.01
            return source.subscribe(MotionRequest(kind: kind, interval: interval, axes: .sensor)) { event in
                dialogue.process(event, kind: kind)
            }
        }
    }

    /// Returns the matrices that convert readings to the device's axes. The result is empty for the mount calibration,
    /// which uses readings in the sensor's axes.
    package func mounts(of device: Device) -> [SensorKind: MountMatrix] {
        guard self != .mount else { return [:] }
        return Dictionary(device.motionSource.sensors.map { ($0.kind, $0.mountMatrix) }) { first, _ in first }
    }

    /// Returns the calibrations to perform with these sensors. If `wanted` is nil, returns all useful calibrations.
    package static func topics(
        _ wanted: CalibrationTopic?, sensors: [SensorDescription], isTrace: Bool
    ) -> Result<[CalibrationTopic], CalibrationFailure> {
        let kinds = Set(sensors.map(\.kind))
        if let wanted {
            if kinds.contains(wanted.kind) { return .success([wanted]) }
            let reason =
                isTrace
                ? "The recording contains no readings of \(wanted.kind.nameWithArticle)."
                : "There is no \(wanted.kind.name). `sensorctl doctor` reports the cause."
            return .failure(CalibrationFailure(reason: reason))
        }
        // Omits the mount calibration if the mount matrix is already known.
        let isMounted = sensors.first { $0.kind == .accelerometer }.map { !$0.mountMatrix.isIdentity } ?? false
        let topics = allCases.filter { kinds.contains($0.kind) && !($0 == .mount && isMounted) }
        guard topics.isEmpty else { return .success(topics) }
        return .failure(
            CalibrationFailure(
                reason: isTrace
                    ? "The recording contains no motion readings."
                    : "There is no motion sensor. `sensorctl doctor` reports the cause."))
    }

    /// - Parameter keepsExact: If true, the mount matrix is not rounded to right angles.
    package func task(keepsExact: Bool) -> any CalibrationTask {
        switch self {
        case .gyro: RestTask()
        case .accelerometer: AccelerometerTask()
        case .mount: MountTask(keepsExact: keepsExact)
        case .magnetometer: MagnetometerTask()
        }
    }
}
