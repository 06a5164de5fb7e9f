// SPDX-License-Identifier: Apache-2.0

/// The options of an IIO source that do not depend on the requests of subscribers.
public struct IIOSourceOptions: Sendable {
    /// The number of samples in a buffer refill. If nil, the number is derived from the requested rate and latency.
    public var samplesPerRefill: Int?
    /// The maximum number of refills that the kernel buffers. If nil, the kernel buffers 0.5 s of samples.
    public var kernelBuffers: Int?
    /// The maximum rate of a sensor that is read axis by axis, in hertz.
    public var maximumPollRate = 200.0
    /// The maximum time that callers wait for the discovery of sensors, in seconds.
    package var discoveryTimeout = 3.0
    /// The delay before the first retry after a failure, in seconds. The delay doubles with each further failure.
    package var initialRetryDelay = 0.25
    /// The maximum delay before a retry, in seconds.
    package var maximumRetryDelay = 10.0
    /// The interval between searches for a missing sensor that has subscribers, in seconds.
    package var searchInterval = 2.0
    /// The maximum delay of an executor that polls a buffer itself, in seconds. After a longer delay, the source's
    /// thread resumes reading. If nil, the value is derived from the size of the kernel buffers.
    package var tolerance: Double?

    /// Creates the default options.
    public init() {}
}
