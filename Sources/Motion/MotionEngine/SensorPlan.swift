// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// How often the engine asks each sensor, so that all subscribers get what they need.
struct SensorPlan: Sendable, Hashable {
    /// Seconds. An attitude from 20 Hz has five times the error of one from 100 Hz, however seldom it is looked at.
    private static let fusion = 0.01
    /// Seconds. Faster is of no use: the heading is smoothed over seconds.
    private static let compass = 0.02
    /// Seconds. Enough to know which way is up.
    private static let slowest = 0.1
    private static let slowestHeading = 0.05

    /// Seconds between readings; nil when none are needed.
    var gyroscope: Double?
    var accelerometer: Double?
    var magnetometer: Double?
    var latency = 0.0
    /// The place that may wait for the samples: that of all subscribers.
    var place: DirectPlace?

    /// What those requests need on a device that has a gyroscope or not.
    init(_ requests: [FusionRequest], hasGyroscope: Bool) {
        guard let need = requests.lazy.map(\.need).max() else { return }
        let interval = requests.lazy.map(\.interval).min() ?? 0
        latency = requests.lazy.map(\.latency).min() ?? 0
        if let first = requests.first?.place, requests.allSatisfy({ $0.place == first }) { place = first }
        // Asked for in any case: one may be plugged in later.
        if need >= .attitude { gyroscope = min(interval, Self.fusion) }
        if gyroscope != nil, hasGyroscope {
            accelerometer = gyroscope
        } else {
            accelerometer = min(interval, need == .gravity ? Self.slowest : Self.slowestHeading)
        }
        guard need == .heading else { return }
        magnetometer = interval == 0 ? 0 : Self.compass
    }

    /// What is asked of a sensor; nil for nothing.
    func request(_ sensor: SampleAligner.Sensor) -> MotionRequest? {
        let (kind, interval): (SensorKind, Double?) =
            switch sensor {
            case .gyroscope: (.gyroscope, gyroscope)
            case .accelerometer: (.accelerometer, accelerometer)
            case .magnetometer: (.magnetometer, magnetometer)
            }
        // Each reading, where a sensor is faster than asked: to leave some out would only make the filter worse.
        guard let interval else { return nil }
        var request = MotionRequest(kind: kind, interval: interval, latency: latency, thins: false)
        request.place = place
        return request
    }
}
