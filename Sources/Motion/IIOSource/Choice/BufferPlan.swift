// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat

/// The settings for reading one device, derived from the demand for its sensors.
struct DeviceReadPlan: Equatable {
    /// The sensors to read, as indices into `DeviceGroup.members`.
    let active: [Int]
    /// The rate in hertz. Infinity requests the maximum rate, and 0 accepts any rate.
    let rate: Double
    /// The maximum delay of a sample, in seconds.
    let latency: Double
    let isPolled: Bool
    /// True if samples may be discarded to reach the requested rate.
    var decimates = false

    /// Returns the plan that meets the demand for each sensor, or nil if there is no demand.
    static func plan(
        for group: DeviceGroup, isPolled: Bool, mayDecimate: Bool = true,
        demand: (SensorDescription.ID) -> MotionDemand?
    ) -> DeviceReadPlan? {
        var active: [Int] = []
        var rate = 0.0
        var latency = Double.infinity
        var decimates = mayDecimate && !group.isEventDriven
        var minimumRate = Double.infinity
        for (index, member) in group.members.enumerated() where member.sensor.isUsable {
            guard let wanted = demand(member.description.id) else { continue }
            active.append(index)
            rate = max(rate, wanted.rate)
            latency = min(latency, wanted.latency)
            minimumRate = min(minimumRate, wanted.rate)
            decimates = decimates && wanted.decimates
        }
        guard !active.isEmpty else { return nil }
        // Drivers reject attribute reads while the buffer is enabled, so the sensors of a device are either all
        // captured or all polled.
        let cannotBuffer = active.contains { !group.members[$0].sensor.canBuffer }
        let isPolled = isPolled || group.isPolled || cannotBuffer
        // Plan decimation only if it can have an effect. Otherwise, the plan could change needlessly, and each change
        // reinitializes the device.
        decimates =
            decimates && !isPolled && minimumRate == rate && rate.isFinite
            && active.contains { group.members[$0].sensor.rates.mayExceed(rate) }
        return DeviceReadPlan(active: active, rate: rate, latency: latency, isPolled: isPolled, decimates: decimates)
    }
}

/// The buffer sizes and time limits for a capture.
struct BufferPlan: Equatable {
    /// The rate to assume if the actual rate is unknown, in hertz.
    static let assumedRate = 100.0
    static let maximumSamples = 4096

    /// The number of samples per refill, a multiple of `decimation`.
    let samples: Int
    /// The decimation factor n. Only every nth sample is delivered.
    let decimation: Int
    let kernelBuffers: Int
    /// The time without data, in seconds, after which a refill fails, or 0 for no limit.
    let timeout: Double
    /// The maximum time until the first samples arrive, in seconds.
    let startTimeout: Double
    /// The time without samples, in seconds, after which a running capture is considered stalled.
    let stallTimeout: Double
    /// The interval between refills, in seconds.
    let period: Double

    /// `rate` is the sensor's rate in hertz, or nil if unknown. `wanted` is the requested rate in hertz, or nil to
    /// deliver all samples. `latency` is the maximum delay in seconds. If not nil, `forced` and `forcedBuffers`
    /// override the computed numbers of samples and kernel buffers.
    init(
        rate: Double?, latency: Double, wanted: Double? = nil, samples forced: Int? = nil,
        kernelBuffers forcedBuffers: Int? = nil, isLocal: Bool, isEventDriven: Bool
    ) {
        decimation = Self.decimation(rate: rate, requested: forced == nil && !isEventDriven ? wanted : nil)
        var rate = rate ?? Self.assumedRate
        if !(rate > 0) { rate = Self.assumedRate }
        // Above 2000 Hz, a wakeup for each sample would overload the processor.
        let wait = max(min(60, latency.isNaN ? 0 : latency), rate > 2000 ? 0.001 : 0)
        let fitting = (rate * wait).rounded(.down)
        let samplesPerLatency = max(
            1, min(Self.maximumSamples, forced ?? Int(min(fitting, Double(Self.maximumSamples)))))
        samples = max(1, samplesPerLatency / decimation) * decimation
        period = Double(samples) / rate
        // The kernel buffers hold 0.5 s of samples, so that no samples are lost while the machine is busy.
        let buffers = Int(min((0.5 / period).rounded(.up), 128))
        kernelBuffers = max(1, min(1024, forcedBuffers ?? max(4, buffers)))
        if isLocal {
            // A local device needs no timeout, because the supervisor detects its removal.
            timeout = 0
        } else {
            timeout = isEventDriven ? 60 : max(5, 4 * period + 1)
        }
        startTimeout = 0.5 + 1.5 * period
        stallTimeout = 1 + 10 / rate + 3 * period
    }

    /// Returns the decimation factor n: only every nth sample is delivered. The n samples span at most 0.1 s, because
    /// other clients of the server have to wait for all of them. Samples are discarded only if the sensor's rate is
    /// close to a multiple of the requested rate, or if at least four samples remain per requested interval. Otherwise,
    /// the subscriber's readings would be unevenly spaced.
    private static func decimation(rate: Double?, requested: Double?) -> Int {
        guard let rate, let requested, rate.isFinite, requested > 0 else { return 1 }
        let maximum = max(1, min(rate * 0.1, Double(maximumSamples)))
        let ratio = min(rate / requested, 1e9)
        let multiple = (ratio * 1.001).rounded(.down)
        // The decimated rate may exceed the requested rate by up to 2 %. The subscriber then receives every sample that
        // remains after decimation.
        let dividesEvenly = multiple >= 1 && multiple <= maximum * 1.001 && rate / multiple <= requested * 1.02
        return Int(dividesEvenly ? multiple : max(1, min(ratio / 4, maximum)))
    }
}

extension SensorRates {
    /// Returns true if the sensor might support at least twice the given rate, or if its rates are unknown.
    fileprivate func mayExceed(_ rate: Double) -> Bool {
        RateSelection.rate(wanted: rate, offered: self, current: nil).map { $0 >= 2 * rate } ?? true
    }
}

enum RateSelection {
    /// The minimum rate, in hertz, if no subscriber requests a particular rate. Slower sensors are set to this rate,
    /// because some start at 0 or 1 Hz.
    static let minimumDefault = 10.0
    /// The maximum rate to request from a driver that does not list its rates, in hertz.
    static let maximumUnlistedRate = 100_000.0

    /// Returns the rate to write in hertz, or nil to keep the current rate. A `wanted` rate of 0 accepts any rate, and
    /// infinity requests the maximum rate.
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
            // If the driver does not list its rates, only raise the rate, and only to a finite value.
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
