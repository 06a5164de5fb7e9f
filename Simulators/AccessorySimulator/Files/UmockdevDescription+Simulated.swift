// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import AccessoryFinding
public import DeviceCore
public import Trace

extension UmockdevDescription {
    /// The accessories of the description, by the rules that hold for live devices; each protocol with the peer that the
    /// closure gives for it.
    public func accessories(
        peer: (AccessoryDescription, AccessoryProtocol) -> any AccessoryPeer
    ) -> [SimulatedAccessory] {
        accessories.map { description in
            SimulatedAccessory(
                description,
                endpoints: description.protocols.map {
                    SimulatedAccessory.Endpoint(name: $0.name, peer: peer(description, $0))
                })
        }
    }
}
