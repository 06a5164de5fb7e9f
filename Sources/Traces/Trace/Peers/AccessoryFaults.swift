// SPDX-License-Identifier: Apache-2.0

/// What goes wrong in a session, for tests of programs that have to bear it. The same seed gives the same faults.
public struct AccessoryFaults: Sendable, Hashable {
    /// What random numbers begin with.
    public var seed: UInt64 = 1
    /// How fast the accessory sends; nil for as fast as it is read.
    public var bytesPerSecond: Double?
    /// What the accessory sends comes in pieces of so many bytes, a ``pieceInterval`` apart at least; nil for whole.
    public var pieceLength: Int?
    /// The seconds between two pieces.
    public var pieceInterval = 0.001
    /// The share of the bytes sent that become random ones, 0 to 1.
    public var garbageShare = 0.0
    /// How many random bytes are sent before anything else.
    public var leadingGarbage = 0
    /// The accessory is unplugged when it has received so many bytes; those behind them are lost.
    public var unplugsAfterReceiving: Int?
    /// The accessory is unplugged when it has sent so many bytes.
    public var unplugsAfterSending: Int?

    /// No faults.
    public init() {}
}
