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
