// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import ByteChannels
import DeviceCore

/// A channel that has just been opened, with what its source has to do with it.
struct OpenedChannel: Sendable {
    var channel: any ByteChannel
    /// Ends it from outside. Does not keep the channel.
    var end: @Sendable (ByteChannelEnd) -> Void
    /// Calls the closure once the node is free for somebody else. Does not keep the channel.
    var whenReleased: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// A node of this machine.
    static func open(_ node: ChannelNode, clock: any DeviceClock) throws(DeviceError) -> OpenedChannel {
        OpenedChannel(try ChannelOpener.open(node, clock: clock))
    }

    private init(_ channel: any ByteChannel) {
        self.channel = channel
        let node = channel as? NodeChannel
        end = { [weak node] reason in node?.end(reason) }
        whenReleased = { [weak node] body in
            if let node { node.whenReleased(body) } else { body() }
        }
    }

    init(
        channel: any ByteChannel, end: @escaping @Sendable (ByteChannelEnd) -> Void,
        whenReleased: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) {
        self.channel = channel
        self.end = end
        self.whenReleased = whenReleased
    }
}
