// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// The intervals at which the sensors must deliver readings to serve all subscribers.
struct SensorRequests: Sendable, Hashable {
    /// The maximum gyroscope interval, in seconds. At 20 Hz, the attitude error is five times as large as at 100 Hz.
    private static let maximumGyroscopeInterval = 0.01
    /// The magnetometer interval, in seconds, unless a subscriber requests every sample. A shorter interval does not
    /// improve the heading, because the heading is smoothed over several seconds.
    private static let magnetometerInterval = 0.02
    /// The maximum accelerometer interval if only the upward direction is needed, in seconds.
    private static let maximumGravityInterval = 0.1
    /// The maximum accelerometer interval if an attitude or a heading is needed without a gyroscope, in seconds.
    private static let maximumIntervalWithoutGyroscope = 0.05

    /// The intervals between readings, in seconds. An interval is nil if the sensor is not needed.
    var gyroscope: Double?
    var accelerometer: Double?
    var magnetometer: Double?
    var latency = 0.0
    /// The executor shared by all subscribers, or nil if their executors differ.
    var pollingExecutor: ExecutorIdentity?

    init(_ requests: [FusionRequest], hasGyroscope: Bool) {
        guard let need = requests.lazy.map(\.need).max() else { return }
        let interval = requests.lazy.map(\.interval).min() ?? 0
        latency = requests.lazy.map(\.latency).min() ?? 0
        if let first = requests.first?.pollingExecutor, requests.allSatisfy({ $0.pollingExecutor == first }) {
            pollingExecutor = first
        }
        // Request the gyroscope even if there is none, because one may be connected later.
        if need >= .attitude { gyroscope = min(interval, Self.maximumGyroscopeInterval) }
        if gyroscope != nil, hasGyroscope {
            accelerometer = gyroscope
        } else {
            accelerometer = min(
                interval, need == .gravity ? Self.maximumGravityInterval : Self.maximumIntervalWithoutGyroscope)
        }
        guard need == .heading else { return }
        // An interval of 0 requests every sample of each sensor, for example for a recording.
        magnetometer = interval == 0 ? 0 : Self.magnetometerInterval
    }

    func request(_ sensor: SampleAligner.Sensor) -> MotionRequest? {
        let (kind, interval): (SensorKind, Double?) =
            switch sensor {
            case .gyroscope: (.gyroscope, gyroscope)
            case .accelerometer: (.accelerometer, accelerometer)
            case .magnetometer: (.magnetometer, magnetometer)
            }
        // If a sensor is faster than requested, all its readings are used, because they make the filter more accurate.
        guard let interval else { return nil }
        var request = MotionRequest(kind: kind, interval: interval, latency: latency, decimates: false)
        request.executor = pollingExecutor
        return request
    }
}
