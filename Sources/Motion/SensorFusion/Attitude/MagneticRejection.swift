// SPDX-License-Identifier: Apache-2.0

/// Limits the time for which a disturbed magnetometer is ignored. A disturbance that does not end has to be accepted.
struct MagneticRejection: Sendable {
    enum Trust: Sendable {
        case full
        case little
        case none
    }

    /// The time for which the magnetometer has been ignored, in seconds. It decreases while the field is undisturbed.
    private(set) var time: Double

    private let maximumTime: Double
    private let factor: Double
    private let isEnabled: Bool

    init(settings: AttitudeSettings) {
        maximumTime = settings.maximumMagneticRejectionTime
        factor = max(settings.magneticRejectionFactor, 1)
        isEnabled = settings.rejectsMagneticDisturbance
        // The maximum, so that a start in a disturbed field also provides a heading.
        time = maximumTime
    }

    @inline(__always)
    mutating func trust(isDisturbed: Bool, interval: Double) -> Trust {
        guard isEnabled else { return .full }
        guard isDisturbed else {
            time = max(time - factor * interval, 0)
            return .full
        }
        guard time <= maximumTime else { return .little }
        time += interval
        return .none
    }

    mutating func restart() { time = maximumTime }
}
