// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// Sizes and times of a capture at some rate.
struct BufferPlan: Hashable {
    /// The rate that is reckoned with while it is not known.
    static let assumedRate = 100.0
    /// The most samples of one refill.
    static let mostSamples = 4096

    /// Samples that a refill waits for.
    let samples: Int
    /// How many times that many samples the kernel keeps.
    let kernelBuffers: Int
    /// Seconds until a refill fails; 0 for no limit.
    let timeout: Double
    /// Seconds from the start in which the first samples have to come.
    let startLimit: Double
    /// Seconds without samples after which a running capture counts as stalled.
    let stallLimit: Double

    /// - rate: hertz; nil when it is not known.
    /// - latency: seconds that a sample may wait for others.
    init(
        rate: Double?, latency: Double, samples forced: Int? = nil, kernelBuffers forcedBuffers: Int? = nil,
        isLocal: Bool, isEventDriven: Bool
    ) {
        var rate = rate ?? Self.assumedRate
        if !(rate > 0) { rate = Self.assumedRate }
        // A wake-up for each sample of a very fast sensor would be all that the processor does: a millisecond for it.
        let wait = max(min(60, latency.isNaN ? 0 : latency), rate > 2000 ? 0.001 : 0)
        let fitting = (rate * wait).rounded(.down)
        samples = max(1, min(Self.mostSamples, forced ?? Int(min(fitting, Double(Self.mostSamples)))))
        let period = Double(samples) / rate
        // Half a second of the kernel's own buffer outlasts a busy machine.
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
}
