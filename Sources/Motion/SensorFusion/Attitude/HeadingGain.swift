// SPDX-License-Identifier: Apache-2.0

/// The weight of a magnetometer sample in the heading if the time constant is fixed, as in the published filter.
struct HeadingGain: Sendable {
    /// The time since the start in seconds, while the heading is the plain mean of the samples; then negative.
    private var startTime = 0.0
    private var isFirst = true
    private var gain: OnePoleGain
    private let timeConstant: Double
    private let rejectionFactor: Double

    init(settings: AttitudeSettings) {
        gain = OnePoleGain(timeConstant: settings.magnetometerTimeConstant)
        timeConstant = settings.magnetometerTimeConstant
        rejectionFactor = max(settings.magneticRejectionFactor, 1)
    }

    @inline(__always)
    mutating func value(_ trust: MagneticRejection.Trust, interval: Double) -> Double {
        let full = gain.value(for: interval)
        let baseGain =
            switch trust {
            case .full: full
            case .reduced: full / rejectionFactor
            case .none: 0.0
            }
        return startTime < 0 ? baseGain : startupGain(baseGain, interval)
    }

    mutating func restart() {
        startTime = 0
        isFirst = true
    }

    @inline(never)
    private mutating func startupGain(_ weight: Double, _ interval: Double) -> Double {
        startTime += interval
        let mean = isFirst ? 1 : max(weight, interval / startTime)
        isFirst = false
        if startTime + interval > timeConstant { startTime = -1 }
        return mean
    }
}
