// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat

/// The settings for reading one device, combined from the demand for its sensors.
struct DeviceReadPlan: Equatable {
    let active: [Int]
    /// The rate, in hertz. Infinity requests the maximum rate; 0 accepts any rate.
    let rate: Double
    /// The maximum delay of a sample, in seconds.
    let latency: Double
    let isPolled: Bool
    /// True if all subscribers request exactly `rate` and the sensors may deliver more samples, so that some are
    /// discarded.
    var decimates = false

    /// Returns the plan that meets the demand for each sensor, or nil if there is no demand. `mayDecimate` is false if a
    /// decimating buffer has failed or returned no samples; the plan then does not decimate.
    static func plan(
        for unit: DeviceGroup, isPolled: Bool, mayDecimate: Bool = true, demand: (SensorDescription.ID) -> MotionDemand?
    ) -> DeviceReadPlan? {
        var active: [Int] = []
        var rate = 0.0
        var latency = Double.infinity
        var decimates = mayDecimate && !unit.isEventDriven
        var minimumRate = Double.infinity
        for (index, member) in unit.members.enumerated() where member.sensor.isUsable {
            guard let wanted = demand(member.description.id) else { continue }
            active.append(index)
            rate = max(rate, wanted.rate)
            latency = min(latency, wanted.latency)
            minimumRate = min(minimumRate, wanted.rate)
            decimates = decimates && wanted.decimates
        }
        guard !active.isEmpty else { return nil }
        // Drivers reject attribute reads while the device's buffer is enabled, so the two modes cannot be combined.
        let cannotBuffer = active.contains { !unit.members[$0].sensor.canBuffer }
        let isPolled = isPolled || unit.isPolled || cannotBuffer
        // Decimation is planned only if it has an effect, because a changed plan reinitializes the device.
        decimates =
            decimates && !isPolled && minimumRate == rate && rate.isFinite
            && active.contains { unit.members[$0].sensor.rates.mayExceed(rate) }
        return DeviceReadPlan(active: active, rate: rate, latency: latency, isPolled: isPolled, decimates: decimates)
    }
}

/// The buffer sizes and timeouts of a capture.
struct BufferPlan: Equatable {
    /// The rate to assume if the actual rate is unknown, in hertz.
    static let assumedRate = 100.0
    static let maximumSamples = 4096

    /// The number of samples in a refill.
    let samples: Int
    /// The decimation factor. Only the last of this many consecutive samples is delivered.
    let decimation: Int
    let kernelBuffers: Int
    /// The time after which a refill fails, in seconds. 0 means no limit.
    let timeout: Double
    /// The time after the start within which the first samples must arrive, in seconds.
    let startTimeout: Double
    /// The time without samples after which a running capture is considered stalled, in seconds.
    let stallTimeout: Double
    /// The time from one refill to the next, in seconds.
    let period: Double

    /// Creates a plan. `rate` is the sensor's rate in hertz, or nil if it is unknown. `wanted` is the requested rate in
    /// hertz, or nil to deliver all samples. `latency` is the maximum delay in seconds. `forced` and `forcedBuffers`
    /// replace the computed numbers.
    init(
        rate: Double?, latency: Double, wanted: Double? = nil, samples forced: Int? = nil,
        kernelBuffers forcedBuffers: Int? = nil, isLocal: Bool, isEventDriven: Bool
    ) {
        decimation = Self.decimation(rate: rate, requested: forced == nil && !isEventDriven ? wanted : nil)
        var rate = rate ?? Self.assumedRate
        if !(rate > 0) { rate = Self.assumedRate }
        // Above 2000 Hz, each refill contains at least 1 ms of samples, because a wakeup for each sample would overload
        // the processor.
        let wait = max(min(60, latency.isNaN ? 0 : latency), rate > 2000 ? 0.001 : 0)
        let fitting = (rate * wait).rounded(.down)
        let samplesPerLatency = max(
            1, min(Self.maximumSamples, forced ?? Int(min(fitting, Double(Self.maximumSamples)))))
        samples = max(1, samplesPerLatency / decimation) * decimation
        period = Double(samples) / rate
        // The kernel buffers 0.5 s of samples, so that delays on a busy machine lose no samples. For fast sensors, the
        // number of buffers is limited to 128.
        let buffers = Int(min((0.5 / period).rounded(.up), 128))
        kernelBuffers = max(1, min(1024, forcedBuffers ?? max(4, buffers)))
        if isLocal {
            // No timeout is needed: the removal of a local device is detected in a different way, and some sensors
            // deliver no samples for a long time.
            timeout = 0
        } else {
            timeout = isEventDriven ? 60 : max(5, 4 * period + 1)
        }
        startTimeout = 0.5 + 1.5 * period
        stallTimeout = 1 + 10 / rate + 3 * period
    }

    /// Returns the decimation factor. If the rate is close to a multiple of the requested rate, the factor is that
    /// multiple. Otherwise, at least four samples per requested interval remain, so that the subscriber's readings can
    /// be evenly spaced. The factor corresponds to at most 0.1 s, because other clients of the same server must also
    /// wait for these samples.
    private static func decimation(rate: Double?, requested: Double?) -> Int {
        guard let rate, let requested, rate.isFinite, requested > 0 else { return 1 }
        let maximum = max(1, min(rate * 0.1, Double(maximumSamples)))
        let ratio = min(rate / requested, 1e9)
        let multiple = (ratio * 1.001).rounded(.down)
        // If the resulting rate exceeds the requested rate by at most 2 %, the subscriber receives all remaining
        // samples.
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

/// The choice of the sampling rate to write to a driver.
enum RateSelection {
    /// The minimum rate if no specific rate is requested, in hertz. Some sensors start at 0 or 1 Hz.
    static let minimumDefault = 10.0
    /// The maximum rate to request from a driver that does not list its rates, in hertz.
    static let maximumUnlistedRate = 100_000.0

    /// Returns the rate to write, in hertz, or nil to keep the current rate. If `wanted` is 0, any rate is accepted;
    /// infinity requests the maximum rate. `current` is nil if the current rate is unknown.
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
            // If the driver does not list its rates, a rate is written only if it is finite and exceeds the current
            // rate. If the current rate is unknown, there is no attribute to write.
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
