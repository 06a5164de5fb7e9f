// SPDX-License-Identifier: Apache-2.0

/// For how long a disturbed magnetometer is ignored: a disturbance that does not end is one that has to be lived with.
struct MagneticRejection: Sendable {
    enum Trust: Sendable {
        case full
        case little
        case none
    }

    /// How long the magnetometer has been ignored, in seconds; falls while the field is right.
    private(set) var time: Double

    private let maximumTime: Double
    private let factor: Double
    private let isEnabled: Bool

    init(settings: AttitudeSettings) {
        maximumTime = settings.maximumMagneticRejectionTime
        factor = max(settings.magneticRejectionFactor, 1)
        isEnabled = settings.rejectsMagneticDisturbance
        // So that a disturbed start still gives a heading.
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
