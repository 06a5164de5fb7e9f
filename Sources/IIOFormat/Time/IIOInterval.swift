// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// The time between samples, in nanoseconds: what is known at first, then what is measured.
struct IIOInterval: Sendable {
    /// Nanoseconds; nil until something is known.
    private(set) var nanoseconds: Double?
    /// The measurements in a row that were far from it.
    private var strays = 0

    /// What stands in until something is known: 100 samples a second.
    static let standard = 1e7

    init(rate: Double?) {
        guard let rate, rate.isFinite, rate > 0 else { return }
        nanoseconds = min(max(1e9 / rate, 1), 1e12)
    }

    /// Notes the mean interval of a batch. One that is twice or half of what is known counts only when it stays so.
    mutating func note(_ measured: Double) {
        guard measured >= 1, measured <= 1e12 else { return }
        guard let known = nanoseconds else {
            nanoseconds = measured
            return
        }
        if measured > known / 2, measured < known * 2 {
            nanoseconds = known + (measured - known) / 16
            strays = 0
        } else {
            strays += 1
            guard strays >= 8 else { return }
            nanoseconds = measured
            strays = 0
        }
    }
}
