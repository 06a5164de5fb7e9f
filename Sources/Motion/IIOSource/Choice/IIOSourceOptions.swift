// SPDX-License-Identifier: Apache-2.0

/// How an IIO source works, beyond what subscribers ask for.
public struct IIOSourceOptions: Sendable {
    /// Samples that each refill of a buffer waits for; nil to choose by the rate and the latency that are asked for.
    public var samplesPerRefill: Int?
    /// How many times that many samples the kernel may hold; nil for half a second's worth.
    public var kernelBuffers: Int?
    /// The most readings a second, in hertz, of a sensor that is read axis by axis.
    public var greatestPollRate = 200.0
    /// Seconds that asking for the sensors may take.
    public var discoveryLimit = 3.0
    /// Seconds before the first new attempt after a failure; it doubles with each further one...
    public var firstRetry = 0.25
    /// ...up to this one.
    public var lastRetry = 10.0
    /// Seconds between looks for a sensor that is waited for and is not there.
    public var searchInterval = 2.0
    /// Seconds that a place which waits for samples itself may look later than it should; then the source reads again. Nil
    /// for as many as the kernel surely keeps samples.
    package var lateness: Double?

    /// The values that suit boards.
    public init() {}
}
