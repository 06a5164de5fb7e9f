// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import ByteChannels
import DeviceCore
import Dispatch
import SystemCalls
import UdevMonitor

/// What a source works with, so that tests can put something else in its place.
struct SourceParts: Sendable {
    /// Begins to watch devices; the closure that it returns ends that.
    var watch: @Sendable (@escaping @Sendable (UdevEvent) -> Void) -> @Sendable () -> Void
    /// Opens a node.
    var open: @Sendable (ChannelNode) throws(DeviceError) -> OpenedChannel
    /// Tells whether a node can be opened.
    var reach: @Sendable (String) -> NodeReach
    /// How folders are watched.
    var inotify = Inotify()
    /// Gets what has to be had before anything can be short; what it returns is called when everything else has begun.
    var begin: @Sendable () -> @Sendable () -> Void = { {} }
    /// Called when the list of problems may have changed.
    var onProblems: @Sendable () -> Void = {}
    /// Waits for the first look at all devices; false when it takes too long. Ten seconds are for a machine that hangs.
    var wait: @Sendable (DispatchGroup) -> Bool = { $0.wait(timeout: .now() + 10) == .success }

    /// The machine's own. The path is that of udevd's control socket, which is there while udevd runs.
    static func live(clock: any DeviceClock, control: String? = nil) -> SourceParts {
        SourceParts(
            watch: { receive in
                let text = AccessoryTree.attributes.filter { $0 != "descriptors" }
                var options = UdevMonitorOptions()
                if let control { options.control = control }
                let monitor = UdevMonitor(
                    [
                        UdevSelection(
                            subsystem: "usb", type: "usb_device", attributes: text, binaryAttributes: ["descriptors"]),
                        UdevSelection(subsystem: "usb", type: "usb_interface", attributes: text),
                        UdevSelection(subsystem: "tty"), UdevSelection(subsystem: "hidraw"),
                    ], clock: clock, options: options)
                monitor.start(receive: receive)
                return { monitor.stop() }
            },
            open: { node throws(DeviceError) in try OpenedChannel.open(node, clock: clock) },
            reach: { NodeReach(path: $0) },
            begin: DispatchDescriptors.open)
    }
}

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
}

extension OpenedChannel {
    init(_ node: NodeChannel) {
        self.init(
            channel: node,
            end: { [weak node] reason, done in
                if let node { node.end(reason, then: done) } else { done() }
            },
            whenReleased: { [weak node] body in
                if let node { node.whenReleased(body) } else { body() }
            }, giveUp: node.giveUp)
    }
}

/// Whether a node can be opened.
enum NodeReach: Sendable {
    case ready
    /// There is no such node.
    case missing
    /// This program may not open it.
    case forbidden

    /// Asks without opening: that would raise "data terminal ready", which resets many boards.
    init(path: String) {
        if access(path, R_OK | W_OK) == 0 {
            self = .ready
        } else {
            self = errno == EACCES || errno == EPERM || errno == EROFS ? .forbidden : .missing
        }
    }
}
