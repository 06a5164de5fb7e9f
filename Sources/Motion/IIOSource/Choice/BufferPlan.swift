// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat

/// What is wanted of the sensors of one device together.
struct UnitPlan: Equatable {
    /// The sensors that somebody listens to, by their place in the unit.
    let active: [Int]
    /// Hertz: infinite for the greatest rate, 0 when any will do.
    let rate: Double
    /// Seconds that a sample may wait for others.
    let latency: Double
    /// True to read axis by axis.
    let isPolled: Bool
    /// True when nobody wants more samples than the rate says, and the sensors may be faster.
    var thins = false

    /// The plan for what is wanted of each sensor of a unit; nil when nobody wants any.
    ///
    /// - Parameter gathers: False when its buffer has given nothing while it was to gather samples that nobody wants.
    static func plan(
        for unit: SensorUnit, isPolled: Bool, gathers: Bool = true, demand: (SensorDescription.ID) -> MotionDemand?
    ) -> UnitPlan? {
        var active: [Int] = []
        var rate = 0.0
        var latency = Double.infinity
        var thins = gathers && !unit.isEventDriven
        var slowest = Double.infinity
        for (index, member) in unit.members.enumerated() where member.sensor.isUsable {
            guard let wanted = demand(member.description.id) else { continue }
            active.append(index)
            rate = max(rate, wanted.rate)
            latency = min(latency, wanted.latency)
            slowest = min(slowest, wanted.rate)
            thins = thins && wanted.thins
        }
        guard !active.isEmpty else { return nil }
        // Reading axis by axis is refused while a buffer of the same device runs: it is one or the other.
        let cannotBuffer = active.contains { !unit.members[$0].sensor.canBuffer }
        let isPolled = isPolled || unit.isPolled || cannotBuffer
        // Nothing that makes no difference: another plan has the device set up anew.
        thins =
            thins && !isPolled && slowest == rate && rate.isFinite
            && active.contains { unit.members[$0].sensor.rates.mayExceed(rate) }
        return UnitPlan(active: active, rate: rate, latency: latency, isPolled: isPolled, thins: thins)
    }
}

/// Sizes and times of a capture at some rate.
struct BufferPlan: Equatable {
    /// The rate that is reckoned with while it is not known.
    static let assumedRate = 100.0
    /// The most samples of one refill.
    static let mostSamples = 4096

    /// Samples that a refill waits for.
    let samples: Int
    /// Of so many samples the last one is handed on; 1 for all.
    let thinning: Int
    /// How many times that many samples the kernel keeps.
    let kernelBuffers: Int
    /// Seconds until a refill fails; 0 for no limit.
    let timeout: Double
    /// Seconds from the start in which the first samples have to come.
    let startLimit: Double
    /// Seconds without samples after which a running capture counts as stalled.
    let stallLimit: Double
    /// Seconds from one refill to the next.
    let period: Double

    /// - rate: hertz; nil when it is not known.
    /// - latency: seconds that a sample may wait for others.
    /// - wanted: hertz, where nobody wants more samples than that; nil where all are wanted.
    init(
        rate: Double?, latency: Double, wanted: Double? = nil, samples forced: Int? = nil,
        kernelBuffers forcedBuffers: Int? = nil, isLocal: Bool, isEventDriven: Bool
    ) {
        thinning = Self.thinning(rate: rate, wanted: forced == nil && !isEventDriven ? wanted : nil)
        var rate = rate ?? Self.assumedRate
        if !(rate > 0) { rate = Self.assumedRate }
        // A wake-up for each sample of a very fast sensor would be all that the processor does: a millisecond for it.
        let wait = max(min(60, latency.isNaN ? 0 : latency), rate > 2000 ? 0.001 : 0)
        let fitting = (rate * wait).rounded(.down)
        let together = max(1, min(Self.mostSamples, forced ?? Int(min(fitting, Double(Self.mostSamples)))))
        samples = max(1, together / thinning) * thinning
        period = Double(samples) / rate
        // Half a second of the kernel's own buffer outlasts a busy machine; less of it where the sensor is fast.
        let buffers = Int(min((0.5 / period).rounded(.up), 128))
        kernelBuffers = max(1, min(1024, forcedBuffers ?? max(4, buffers)))
        if isLocal {
            // Whether the device is still there is seen otherwise, and a sensor may rightly have nothing to say.
            timeout = 0
        } else {
            timeout = isEventDriven ? 60 : max(5, 4 * period + 1)
        }
        startLimit = 0.5 + 1.5 * period
        stallLimit = 1 + 10 / rate + 3 * period
    }

    /// The kernel gathers what nobody wants: a whole interval's, or what leaves four in each to choose from, so that the beat
    /// stays even. For a tenth of a second at the most: on a server, others have to wait for it as well.
    private static func thinning(rate: Double?, wanted: Double?) -> Int {
        guard let rate, let wanted, rate.isFinite, wanted > 0 else { return 1 }
        let most = max(1, min(rate * 0.1, Double(mostSamples)))
        let ratio = min(rate / wanted, 1e9)
        let whole = (ratio * 1.001).rounded(.down)
        // Within that a subscriber gets all that there are.
        let isEven = whole >= 1 && whole <= most * 1.001 && rate / whole <= wanted * 1.02
        return Int(isEven ? whole : max(1, min(ratio / 4, most)))
    }
}

extension SensorRates {
    /// True when none that is offered is that slow, or nothing is known.
    fileprivate func mayExceed(_ rate: Double) -> Bool {
        RateChoice.rate(wanted: rate, offered: self, current: nil).map { $0 >= 2 * rate } ?? true
    }
}
