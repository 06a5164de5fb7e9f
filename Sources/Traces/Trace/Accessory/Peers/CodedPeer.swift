// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// A peer that a closure speaks for.
public struct CodedPeer: AccessoryPeer {
    private let body: @Sendable (AccessoryPeerEvent) -> [AccessoryPeerAction]

    /// A peer that does what the closure says. Sessions share the closure, and what it keeps.
    public init(_ body: @escaping @Sendable (AccessoryPeerEvent) -> [AccessoryPeerAction]) {
        self.body = body
    }

    /// Asks the closure.
    public mutating func react(to event: AccessoryPeerEvent) -> [AccessoryPeerAction] { body(event) }
}
