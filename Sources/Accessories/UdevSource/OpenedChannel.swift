// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import ByteChannels
import DeviceCore

/// A channel that has just been opened, with what its source has to do with it.
struct OpenedChannel: Sendable {
    var channel: any ByteChannel
    /// Ends it from outside, and calls the closure when its observer has heard of that, or hears when the app has read
    /// what had come in. Does not keep the channel.
    var end: @Sendable (ByteChannelEnd, @escaping @Sendable () -> Void) -> Void
    /// Calls the closure once the node is free for somebody else. Does not keep the channel.
    var whenReleased: @Sendable (@escaping @Sendable () -> Void) -> Void
    /// Has it send no more of what was written, when it was closed. Does not keep the channel, but works without it too.
    var giveUp: @Sendable () -> Void

    /// A node of this machine.
    static func open(_ node: ChannelNode, clock: any DeviceClock) throws(DeviceError) -> OpenedChannel {
        OpenedChannel(try ChannelOpener.open(node, clock: clock))
    }

    init(_ node: NodeChannel) {
        channel = node
        end = { [weak node] reason, done in
            if let node { node.end(reason, then: done) } else { done() }
        }
        whenReleased = { [weak node] body in
            if let node { node.whenReleased(body) } else { body() }
        }
        giveUp = node.giveUp
    }

    init(
        channel: any ByteChannel, end: @escaping @Sendable (ByteChannelEnd, @escaping @Sendable () -> Void) -> Void,
        whenReleased: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        giveUp: @escaping @Sendable () -> Void
    ) {
        self.channel = channel
        self.end = end
        self.whenReleased = whenReleased
        self.giveUp = giveUp
    }
}
