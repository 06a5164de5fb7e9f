// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// An accessory that code speaks for: what it says of itself, and a peer for each protocol.
public struct SimulatedAccessory: Sendable {
    /// A protocol and who speaks it.
    public struct Endpoint: Sendable {
        /// The protocol's name.
        public var name: String
        /// What each session begins with a copy of.
        public var peer: any AccessoryPeer
        /// What goes wrong in each session.
        public var faults: AccessoryFaults

        /// A protocol of those parts.
        public init(name: String, peer: any AccessoryPeer, faults: AccessoryFaults = AccessoryFaults()) {
            self.name = name
            self.peer = peer
            self.faults = faults
        }
    }

    /// What it says of itself, without its protocols.
    public var description: AccessoryDescription
    /// Its protocols.
    public var endpoints: [Endpoint]

    /// An accessory of those parts; the protocols of the description are those of the endpoints.
    public init(_ description: AccessoryDescription, endpoints: [Endpoint]) {
        var description = description
        description.protocols = endpoints.map { AccessoryProtocol(name: $0.name, origin: .configuration) }
        self.description = description
        self.endpoints = endpoints
    }

    /// An accessory with one protocol.
    public init(
        name: String, protocol protocolName: String, peer: any AccessoryPeer,
        faults: AccessoryFaults = AccessoryFaults()
    ) {
        self.init(
            AccessoryDescription(identity: "simulated:\(name)", name: name, portPath: name),
            endpoints: [Endpoint(name: protocolName, peer: peer, faults: faults)])
    }
}

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
