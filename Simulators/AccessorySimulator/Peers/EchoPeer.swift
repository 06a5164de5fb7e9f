// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import Trace

/// A peer that sends back what it receives.
public struct EchoPeer: AccessoryPeer {
    /// An echo.
    public init() {}

    /// Sends back what came in.
    public mutating func react(to event: AccessoryPeerEvent) -> [AccessoryPeerAction] {
        if case .received(let bytes) = event { [.send(bytes)] } else { [] }
    }
}
