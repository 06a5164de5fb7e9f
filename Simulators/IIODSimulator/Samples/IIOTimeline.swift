// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// The sample times of a device, in nanoseconds since the start of the trace. Samples are numbered from 0.
struct IIOTimeline: Sendable {
    private enum Steps {
        case times([Int64])
        /// The interval between samples. Used only if it is a whole number of nanoseconds.
        case interval(Int64)
        case rate(Double)

        init(rate: Double) {
            let interval = (1e9 / rate).rounded()
            self = interval >= 1 && interval * rate == 1e9 ? .interval(Int64(interval)) : .rate(rate)
        }
    }

    private let steps: Steps
    /// The duration of one pass, in nanoseconds, and the number of samples in it, which is nil if the pass never ends.
    private let duration: Int64
    let passCount: Int64?
    private let loops: Bool

    init(_ signals: IIODeviceSignals, rate: Double, loops: Bool) {
        let rate = rate.isFinite ? min(max(rate, 1e-6), 1e9) : 1
        self.loops = loops
        if let times = signals.times, let last = times.last {
            steps = .times(times)
            duration = max(signals.duration ?? 0, last.addingSaturated(1))
            passCount = Int64(times.count)
        } else if let length = signals.duration {
            steps = Steps(rate: rate)
            duration = max(1, length)
            passCount = max(1, Int64((Double(max(1, length)) / 1e9 * rate).rounded(.up)))
        } else {
            steps = Steps(rate: rate)
            duration = .max
            passCount = nil
        }
    }

    var isEndless: Bool { passCount == nil || loops }

    private func indexInPass(of sample: Int64) -> Int64 {
        guard let passCount, loops else { return sample }
        return sample % passCount
    }

    /// Returns the time of a sample since the start of its pass, or nil if there is no such sample.
    func phase(of sample: Int64) -> Int64? {
        let index = indexInPass(of: sample)
        if let passCount, index >= passCount || index < 0 { return nil }
        switch steps {
        case .times(let times): return times[Int(index)]
        case .interval(let interval):
            let (time, overflow) = interval.multipliedReportingOverflow(by: index)
            return overflow ? nil : time
        case .rate(let rate):
            let time = Double(index) / rate * 1e9
            return time < 9e18 ? Int64(time) : nil
        }
    }

    /// Returns the time of a sample since the start of the first pass, or nil if there is no such sample.
    func offset(of sample: Int64) -> Int64? {
        guard let phase = phase(of: sample) else { return nil }
        guard loops, let passCount else { return phase }
        let (passed, overflow) = duration.multipliedReportingOverflow(by: sample / passCount)
        return overflow ? nil : passed.addingSaturated(phase)
    }

    /// Returns the number of samples that are due at or before a time.
    func count(until elapsed: Int64) -> Int64 {
        guard let passCount else { return elapsed < 0 ? 0 : countInPass(elapsed) }
        guard loops, elapsed >= duration else { return min(passCount, countInPass(elapsed)) }
        let (whole, overflow) = passCount.multipliedReportingOverflow(by: elapsed / duration)
        return overflow ? .max : whole.addingSaturated(min(passCount, countInPass(elapsed % duration)))
    }

    private func countInPass(_ elapsed: Int64) -> Int64 {
        switch steps {
        case .times(let times): return Int64(times.partitioningIndex { $0 > elapsed })
        case .interval(let interval): return elapsed < 0 ? 0 : elapsed / interval + 1
        case .rate(let rate):
            guard elapsed >= 0 else { return 0 }
            var count = Int64(min(Double(elapsed) / 1e9 * rate, 9e18)) + 1
            // Rounding can make the count too high or too low, so it is adjusted to match `phase(of:)`.
            while count > 0, Double(count - 1) / rate * 1e9 >= Double(elapsed) + 1 { count -= 1 }
            while let next = phase(of: count), next <= elapsed, count < .max - 1 { count += 1 }
            return count
        }
    }
}
