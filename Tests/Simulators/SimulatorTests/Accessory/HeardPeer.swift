// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace

/// A peer that signals a semaphore after it has processed an event.
struct HeardPeer: AccessoryPeer {
    private var peer: any AccessoryPeer
    private let heard: BinarySemaphore

    init(_ peer: some AccessoryPeer, _ heard: BinarySemaphore) {
        self.peer = peer
        self.heard = heard
    }

    mutating func react(to event: AccessoryPeerEvent) -> [AccessoryPeerAction] {
        defer { heard.signal() }
        return peer.react(to: event)
    }
}
