// SPDX-License-Identifier: Apache-2.0

/// The options of an IIO source that do not depend on its subscribers.
public struct IIOSourceOptions: Sendable {
    /// The number of samples in a buffer refill, or nil to derive it from the requested rate and latency.
    public var samplesPerRefill: Int?
    /// The maximum number of refills that the kernel holds, or nil to hold 0.5 s of samples.
    public var kernelBuffers: Int?
    /// The maximum rate, in hertz, of a sensor that is read axis by axis.
    public var maximumPollRate = 200.0
    /// The maximum time that callers wait for sensor discovery, in seconds.
    package var discoveryTimeout = 3.0
    /// The delay before the first retry after a failure, in seconds. Each further failure doubles the delay.
    package var initialRetryDelay = 0.25
    /// The maximum delay before a retry, in seconds.
    package var maximumRetryDelay = 10.0
    /// The interval between searches for a missing sensor that has subscribers, in seconds.
    package var searchInterval = 2.0
    /// The time, in seconds, within which an executor must read a buffer that it polls. If it does not, the source's
    /// thread reads the buffer instead. If nil, the time is derived from the kernel buffers.
    package var tolerance: Double?

    /// Creates the default options.
    public init() {}
}
