// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// How much of a new sample enters a one-pole filter.
enum SmoothingRule: Sendable, Equatable {
    /// Seconds; the weight follows the true interval.
    case timeConstant(Double)
    /// The same weight for each sample, whatever the interval.
    case factor(Double)

    init(timeConstant: Double) {
        // The comparison is false for NaN too.
        self = .timeConstant(timeConstant > 0 ? timeConstant : 0)
    }

    init(factor: Double) {
        self = .factor(factor.isNaN ? 1 : min(max(factor, 0), 1))
    }

    /// A one-pole filter halves the power at 1 / (2π τ).
    init(cutoff: Double) {
        self.init(timeConstant: cutoff >= 0 ? 1 / (2 * .pi * cutoff) : 0)
    }

    /// The weight of a sample that comes `interval` seconds after the one before it; NaN when it cannot be weighed.
    func weight(after interval: Double) -> Double {
        switch self {
        case .factor(let factor): return factor
        case .timeConstant(let seconds):
            guard interval > 0 else { return .nan }
            // 1 - exp(-dt / tau), without losing digits when the interval is short.
            return -expm1(-interval / seconds)
        }
    }
}
