// SPDX-License-Identifier: Apache-2.0

/// The options of an IIO source that do not depend on the requests of subscribers.
public struct IIOSourceOptions: Sendable {
    /// The number of samples in a refill of a buffer; nil to derive it from the requested rate and latency.
    public var samplesPerRefill: Int?
    /// The maximum number of refills that the kernel buffers; nil for 0.5 s of samples.
    public var kernelBuffers: Int?
    /// The maximum rate of a sensor that is read axis by axis, in hertz.
    public var maximumPollRate = 200.0
    /// The maximum duration of the discovery of sensors, in seconds.
    package var discoveryTimeout = 3.0
    /// The initial delay before a retry after a failure, in seconds. It doubles with each further failure.
    package var initialRetryDelay = 0.25
    /// The maximum delay before a retry, in seconds.
    package var maximumRetryDelay = 10.0
    /// The interval between searches for a missing sensor that has subscribers, in seconds.
    package var searchInterval = 2.0
    /// The time by which an executor that polls a buffer itself may be late, in seconds. If it is later, the source's
    /// thread resumes reading. nil to derive the time from the size of the kernel buffers.
    package var tolerance: Double?

    /// Creates the default options.
    public init() {}
}
