// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat

/// The combined demand for the sensors of one device.
struct DeviceReadPlan: Equatable {
    let active: [Int]
    /// The rate, in hertz: infinity for the maximum rate, 0 for any rate.
    let rate: Double
    /// The maximum delay of a sample, in seconds.
    let latency: Double
    let isPolled: Bool
    /// True if no subscriber requests more samples than `rate`, and the sensors may deliver more.
    var decimates = false

    /// Returns the plan for the demand for each sensor; nil if there is no demand. `gathers` is false if the buffer has
    /// failed, or has returned no samples, while it collected samples to discard.
    static func plan(
        for unit: DeviceGroup, isPolled: Bool, gathers: Bool = true, demand: (SensorDescription.ID) -> MotionDemand?
    ) -> DeviceReadPlan? {
        var active: [Int] = []
        var rate = 0.0
        var latency = Double.infinity
        var thins = gathers && !unit.isEventDriven
        var minimumRate = Double.infinity
        for (index, member) in unit.members.enumerated() where member.sensor.isUsable {
            guard let wanted = demand(member.description.id) else { continue }
            active.append(index)
            rate = max(rate, wanted.rate)
            latency = min(latency, wanted.latency)
            minimumRate = min(minimumRate, wanted.rate)
            thins = thins && wanted.decimates
        }
        guard !active.isEmpty else { return nil }
        // Drivers reject reads of attributes while the buffer of the device is enabled, so the two modes cannot be
        // combined.
        let cannotBuffer = active.contains { !unit.members[$0].sensor.canBuffer }
        let isPolled = isPolled || unit.isPolled || cannotBuffer
        // `thins` is only set if it has an effect, because a changed plan reinitializes the device.
        thins =
            thins && !isPolled && minimumRate == rate && rate.isFinite
            && active.contains { unit.members[$0].sensor.rates.mayExceed(rate) }
        return DeviceReadPlan(active: active, rate: rate, latency: latency, isPolled: isPolled, decimates: thins)
    }
}

/// The sizes and times of a capture at a rate.
struct BufferPlan: Equatable {
    /// The rate that is assumed if it is unknown, in hertz.
    static let assumedRate = 100.0
    static let maximumSamples = 4096

    /// The number of samples in a refill.
    let samples: Int
    /// The decimation factor: of this number of consecutive samples, only the last is delivered.
    let decimation: Int
    let kernelBuffers: Int
    /// The time after which a refill fails, in seconds; 0 for no limit.
    let timeout: Double
    /// The time from the start within which the first samples must arrive, in seconds.
    let startTimeout: Double
    /// The time without samples after which a running capture counts as stalled, in seconds.
    let stallTimeout: Double
    /// The time from one refill to the next, in seconds.
    let period: Double

    /// Creates a plan from the rate of the sensor and the requested maximum rate, in hertz, and the maximum delay in
    /// seconds. The rate is nil if unknown, the requested rate to deliver all samples. Forced numbers replace derived
    /// ones.
    init(
        rate: Double?, latency: Double, wanted: Double? = nil, samples forced: Int? = nil,
        kernelBuffers forcedBuffers: Int? = nil, isLocal: Bool, isEventDriven: Bool
    ) {
        decimation = Self.decimation(rate: rate, requested: forced == nil && !isEventDriven ? wanted : nil)
        var rate = rate ?? Self.assumedRate
        if !(rate > 0) { rate = Self.assumedRate }
        // Above 2000 Hz, samples are combined for at least 1 ms, because a wakeup for each sample would overload the
        // processor.
        let wait = max(min(60, latency.isNaN ? 0 : latency), rate > 2000 ? 0.001 : 0)
        let fitting = (rate * wait).rounded(.down)
        let samplesPerLatency = max(
            1, min(Self.maximumSamples, forced ?? Int(min(fitting, Double(Self.maximumSamples)))))
        samples = max(1, samplesPerLatency / decimation) * decimation
        period = Double(samples) / rate
        // 0.5 s of samples in kernel buffers bridges delays on a busy machine. The limit of 128 buffers applies to fast
        // sensors.
        let buffers = Int(min((0.5 / period).rounded(.up), 128))
        kernelBuffers = max(1, min(1024, forcedBuffers ?? max(4, buffers)))
        if isLocal {
            // The removal of a local device is detected by other means, and some sensors have no samples for a long
            // time.
            timeout = 0
        } else {
            timeout = isEventDriven ? 60 : max(5, 4 * period + 1)
        }
        startTimeout = 0.5 + 1.5 * period
        stallTimeout = 1 + 10 / rate + 3 * period
    }

    /// Returns the decimation factor. If the rate is close to a multiple of the requested rate, the factor is that
    /// multiple. Otherwise, the factor leaves four samples per interval to choose from, so that the readings remain
    /// evenly spaced. The factor corresponds to at most 0.1 s, because other clients of a server also have to wait for
    /// these samples.
    private static func decimation(rate: Double?, requested: Double?) -> Int {
        guard let rate, let requested, rate.isFinite, requested > 0 else { return 1 }
        let maximum = max(1, min(rate * 0.1, Double(maximumSamples)))
        let ratio = min(rate / requested, 1e9)
        let multiple = (ratio * 1.001).rounded(.down)
        // If the resulting rate exceeds the requested rate by at most 2 %, a subscriber receives all samples.
        let isEven = multiple >= 1 && multiple <= maximum * 1.001 && rate / multiple <= requested * 1.02
        return Int(isEven ? multiple : max(1, min(ratio / 4, maximum)))
    }
}

extension SensorRates {
    /// True if the sensor may run at twice the rate or faster, or if its rates are unknown.
    fileprivate func mayExceed(_ rate: Double) -> Bool {
        RateSelection.rate(wanted: rate, offered: self, current: nil).map { $0 >= 2 * rate } ?? true
    }
}

/// The choice of the sampling rate to write for a requested rate.
enum RateSelection {
    /// The minimum rate if none is requested, in hertz. Some sensors start at 0 or 1 Hz.
    static let minimumDefault = 10.0
    /// The maximum rate to request from a driver that does not list its rates, in hertz.
    static let maximumUnlistedRate = 100_000.0

    /// Returns the rate to write, in hertz; nil to keep the current rate. The requested rate is 0 for any rate and
    /// infinity for the maximum rate. The current rate is nil if it is unknown.
    static func rate(wanted: Double, offered: SensorRates, current: Double?) -> Double? {
        let rate: Double
        if wanted > 0 {
            rate = wanted
        } else {
            if let current, current >= minimumDefault { return nil }
            rate = minimumDefault
        }
        switch offered {
        case .unknown:
            // Without a list of rates, a rate is only written if it is finite and exceeds the current rate. If the
            // current rate is unknown, there is no attribute to write.
            guard rate.isFinite, let current, case let rate = min(rate, maximumUnlistedRate), current < rate else {
                return nil
            }
            return rate
        case .list(let rates):
            let usable = SensorRates.list(rates.filter { $0 > 0 })
            return rateIfChanged(usable.rate(atLeast: rate), current: current)
        case .range: return rateIfChanged(offered.rate(atLeast: rate), current: current)
        }
    }

    private static func rateIfChanged(_ rate: Double?, current: Double?) -> Double? {
        guard let rate, rate > 0 else { return nil }
        if let current, abs(current - rate) <= rate * 1e-6 { return nil }
        return rate
    }
}
