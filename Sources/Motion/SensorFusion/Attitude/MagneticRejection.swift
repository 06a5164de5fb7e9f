// SPDX-License-Identifier: Apache-2.0

/// Limits the time for which a disturbed magnetometer is ignored. A disturbance that does not end has to be accepted.
struct MagneticRejection: Sendable {
    enum Trust: Sendable {
        case full
        case reduced
        case none
    }

    /// The time for which the magnetometer has been ignored, in seconds. It decreases while the field is undisturbed.
    private(set) var rejectedTime: Double

    private let maximumTime: Double
    private let factor: Double
    private let isEnabled: Bool

    init(settings: AttitudeSettings) {
        maximumTime = settings.maximumMagneticRejectionTime
        factor = max(settings.magneticRejectionFactor, 1)
        isEnabled = settings.rejectsMagneticDisturbance
        // The maximum, so that a start in a disturbed field also provides a heading.
        rejectedTime = maximumTime
    }

    @inline(__always)
    mutating func trust(isDisturbed: Bool, interval: Double) -> Trust {
        guard isEnabled else { return .full }
        guard isDisturbed else {
            rejectedTime = max(rejectedTime - factor * interval, 0)
            return .full
        }
        guard rejectedTime <= maximumTime else { return .reduced }
        rejectedTime += interval
        return .none
    }

    mutating func restart() { rejectedTime = maximumTime }
}
