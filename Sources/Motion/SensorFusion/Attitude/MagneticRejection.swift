// SPDX-License-Identifier: Apache-2.0

/// Limits how long a disturbed magnetometer is ignored, because a permanent disturbance must eventually be accepted.
struct MagneticRejection: Sendable {
    enum Trust: Sendable {
        case full
        case reduced
        case none
    }

    /// The total time that the magnetometer has been ignored, in seconds. It decreases while the field is undisturbed.
    private(set) var rejectedTime: Double

    private let maximumTime: Double
    private let factor: Double
    private let isEnabled: Bool

    init(settings: AttitudeSettings) {
        maximumTime = settings.maximumMagneticRejectionTime
        factor = max(settings.magneticRejectionFactor, 1)
        isEnabled = settings.rejectsMagneticDisturbance
        // `rejectedTime` starts at its maximum, so that the magnetometer provides a heading even if the field is
        // disturbed at the start.
        rejectedTime = maximumTime
    }

    @inline(__always) mutating func trust(isDisturbed: Bool, interval: Double) -> Trust {
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

/// Computes the weight with which a magnetometer sample corrects the heading, using a fixed time constant as in the
/// published filter.
struct HeadingGain: Sendable {
    /// The time since the start in seconds, or -1 once the heading is no longer a running mean.
    private var timeSinceStart = 0.0
    private var isFirst = true
    private var gain: OnePoleGain
    private let timeConstant: Double
    private let rejectionFactor: Double

    init(settings: AttitudeSettings) {
        gain = OnePoleGain(timeConstant: settings.magnetometerTimeConstant)
        timeConstant = settings.magnetometerTimeConstant
        rejectionFactor = max(settings.magneticRejectionFactor, 1)
    }

    @inline(__always) mutating func value(_ trust: MagneticRejection.Trust, interval: Double) -> Double {
        let full = gain.value(for: interval)
        let baseGain =
            switch trust {
            case .full: full
            case .reduced: full / rejectionFactor
            case .none: 0.0
            }
        return timeSinceStart < 0 ? baseGain : startupGain(baseGain, interval)
    }

    mutating func restart() {
        timeSinceStart = 0
        isFirst = true
    }

    @inline(never) private mutating func startupGain(_ weight: Double, _ interval: Double) -> Double {
        timeSinceStart += interval
        let mean = isFirst ? 1 : max(weight, interval / timeSinceStart)
        isFirst = false
        if timeSinceStart + interval > timeConstant { timeSinceStart = -1 }
        return mean
    }
}
