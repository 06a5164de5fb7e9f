// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// An accessory simulated in code, with a description and a peer for each protocol.
public struct SimulatedAccessory: Sendable {
    /// A protocol and its peer.
    public struct Endpoint: Sendable {
        /// The protocol's name.
        public var name: String
        /// The peer. Each session uses a copy.
        public var peer: any AccessoryPeer
        /// The faults to simulate in each session.
        public var faults: AccessoryFaults

        /// Creates an endpoint.
        public init(name: String, peer: any AccessoryPeer, faults: AccessoryFaults = AccessoryFaults()) {
            (self.name, self.peer, self.faults) = (name, peer, faults)
        }
    }

    /// The description of the accessory. Its protocols match the endpoints.
    public var description: AccessoryDescription
    /// The protocols and their peers.
    public var endpoints: [Endpoint]

    /// Creates an accessory. The endpoints' protocols replace those in the description.
    public init(_ description: AccessoryDescription, endpoints: [Endpoint]) {
        var description = description
        description.protocols = endpoints.map { AccessoryProtocol(name: $0.name, origin: .configuration) }
        self.description = description
        self.endpoints = endpoints
    }

    /// Creates an accessory with one protocol.
    public init(
        name: String, protocol protocolName: String, peer: any AccessoryPeer,
        faults: AccessoryFaults = AccessoryFaults()
    ) {
        self.init(
            AccessoryDescription(identity: "simulated:\(name)", name: name, portPath: name),
            endpoints: [Endpoint(name: protocolName, peer: peer, faults: faults)])
    }
}

/// The faults to simulate in a session, for robustness tests. The same seed always produces the same faults.
public struct AccessoryFaults: Sendable, Hashable {
    /// The seed of the random numbers.
    public var seed: UInt64 = 1
    /// The accessory's maximum sending rate in bytes per second, or nil for no limit.
    public var bytesPerSecond: Double?
    /// The maximum number of bytes that the accessory sends at once, or nil for no limit. Consecutive chunks are at
    /// least ``minimumChunkInterval`` apart.
    public var maximumChunkLength: Int?
    /// The minimum time between two chunks. A negative duration is treated as zero.
    public var minimumChunkInterval = Duration.milliseconds(1)
    /// The probability, from 0 to 1, that a sent byte is replaced with a random byte.
    public var corruptionProbability = 0.0
    /// The number of random bytes sent before any other bytes.
    public var leadingRandomByteCount = 0
    /// The number of received bytes after which the accessory is unplugged, or nil if it stays attached.
    public var unplugsAfterReceiving: Int?
    /// The number of sent bytes after which the accessory is unplugged, or nil if it stays attached.
    public var unplugsAfterSending: Int?

    /// Creates a configuration without faults.
    public init() {}
}
