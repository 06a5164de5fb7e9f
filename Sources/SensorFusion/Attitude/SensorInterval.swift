// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// The interval that a sample of one sensor ends.
struct SensorInterval: Sendable {
    /// Seconds, of the latest sample.
    private(set) var interval: Double
    /// Of the latest sample.
    private(set) var timestamp = -Double.infinity

    private var clock: SampleClock
    private let nominal: Double?

    init(nominal: Double?, maximumGap: Double) {
        self.nominal = nominal
        interval = nominal ?? 0
        clock = SampleClock(maximumGap: maximumGap, slowestInterval: 5)
    }

    @inline(__always)
    mutating func step(to timestamp: Double) -> SampleClock.Step {
        let step = clock.step(to: timestamp)
        switch step {
        case .unusable: break
        case .start:
            interval = nominal ?? 0
            self.timestamp = timestamp
        case .interval(let seconds):
            interval = snapped(seconds)
            self.timestamp = timestamp
        }
        return step
    }

    /// A whole number of nominal intervals where the time stamps are near one: then only they jitter, not the samples.
    @inline(__always)
    private func snapped(_ seconds: Double) -> Double {
        guard let nominal, nominal > 0 else { return seconds }
        let count = (seconds / nominal).rounded()
        let snapped = count * nominal
        return count >= 1 && abs(seconds - snapped) < nominal / 4 ? snapped : seconds
    }
}
