// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace

/// A peer that signals a semaphore after it has processed an event.
struct SignalingPeer: AccessoryPeer {
    private var peer: any AccessoryPeer
    private let received: BinarySemaphore

    init(_ peer: some AccessoryPeer, _ received: BinarySemaphore) {
        self.peer = peer
        self.received = received
    }

    mutating func react(to event: AccessoryPeerEvent) -> [AccessoryPeerAction] {
        defer { received.signal() }
        return peer.react(to: event)
    }
}
