// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// The angle between the arbitrary heading of the attitude and magnetic north.
struct HeadingEstimator: Sendable {
    /// Radians, -π ... π.
    private(set) var offset = 0.0
    private(set) var isKnown = false
    /// What the latest sample said against it, in radians.
    private(set) var disagreement = 0.0

    /// How much longer than the limit of its use the magnetometer has been ignored; falls while it is right.
    private(set) var rejectedTime: Double
    /// Seconds of samples since the start, which each count the same at first; negative once this is over.
    private var startTime = 0.0
    private var gain: OnePoleGain

    private let timeConstant: Double
    private let maximumRejectionTime: Double
    private let rejectionFactor: Double
    private let rejects: Bool

    init(settings: AttitudeFilter.Settings) {
        gain = OnePoleGain(timeConstant: settings.magnetometerTimeConstant)
        timeConstant = settings.magnetometerTimeConstant
        maximumRejectionTime = settings.maximumMagneticRejectionTime
        rejectionFactor = max(settings.magneticRejectionFactor, 1)
        rejects = settings.rejectsMagneticDisturbance
        rejectedTime = maximumRejectionTime
    }

    @inline(__always)
    mutating func update(measured: Double, isDisturbed: Bool, interval: Double) {
        disagreement = Self.wrapped(measured - offset)
        var weight = gain.value(for: interval)
        if rejects {
            if !isDisturbed {
                rejectedTime = max(rejectedTime - rejectionFactor * interval, 0)
            } else if rejectedTime <= maximumRejectionTime {
                rejectedTime += interval
                weight = 0
            } else {
                weight /= rejectionFactor
            }
        }
        if startTime >= 0 {
            startTime += interval
            weight = isKnown && startTime > 0 ? max(weight, interval / startTime) : 1
            if startTime + interval > timeConstant { startTime = -1 }
        }
        offset = Self.wrapped(offset + weight * disagreement)
        isKnown = true
    }

    /// Without a gyroscope nothing bridges a disturbance: follows what there is.
    mutating func follow(measured: Double, weight: Double) {
        disagreement = Self.wrapped(measured - offset)
        offset = Self.wrapped(offset + (isKnown ? weight : 1) * disagreement)
        isKnown = true
    }

    /// Takes the next sample whole.
    mutating func restart() {
        startTime = 0
        rejectedTime = maximumRejectionTime
    }

    /// For angles up to three half turns.
    @inline(__always)
    private static func wrapped(_ angle: Double) -> Double {
        angle > .pi ? angle - 2 * .pi : angle < -.pi ? angle + 2 * .pi : angle
    }
}
