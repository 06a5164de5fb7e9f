// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import ByteChannels
import DeviceCore
import Dispatch
import SystemCalls
import UdevMonitor

struct UdevSourceDependencies: Sendable {
    /// Starts monitoring devices. The returned closure stops it.
    var watch: @Sendable (@escaping @Sendable (UdevEvent) -> Void) -> @Sendable () -> Void
    /// Opens a node.
    var open: @Sendable (ChannelNode) throws(DeviceError) -> OpenedChannel
    var checkAccess: @Sendable (String) -> NodeAccess
    var inotify = Inotify()
    /// Acquires resources that must be available before file descriptors can become scarce. The returned closure is
    /// called after all other parts have started.
    var prepare: @Sendable () -> @Sendable () -> Void = { {} }
    /// Called if the list of problems may have changed.
    var onProblems: @Sendable () -> Void = {}
    /// Waits for the first scan of all devices. Returns false on timeout. The timeout of 10 s is reached only on a
    /// system that hangs.
    var wait: @Sendable (DispatchGroup) -> Bool = { $0.wait(timeout: .now() + 10) == .success }

    /// Returns the dependencies of a live source. `control` is the path of udevd's control socket, which exists while
    /// udevd is running.
    static func live(clock: any DeviceClock, control: String? = nil) -> UdevSourceDependencies {
        UdevSourceDependencies(
            watch: { receive in
                let text = AccessoryTree.attributes.filter { $0 != "descriptors" }
                var options = UdevMonitorOptions()
                if let control { options.controlSocketPath = control }
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
            checkAccess: { NodeAccess(path: $0) },
            prepare: DispatchDescriptors.open)
    }
}

/// A channel that has just been opened, with the operations for its source.
struct OpenedChannel: Sendable {
    var channel: any ByteChannel
    /// Ends the channel. Calls the closure after the observer has received the end. If the app has to read buffered
    /// bytes before the end, does not wait for this. Does not retain the channel.
    var end: @Sendable (ByteChannelEnd, @escaping @Sendable () -> Void) -> Void
    /// Calls the closure when the node is available to others. Does not retain the channel.
    var whenReleased: @Sendable (@escaping @Sendable () -> Void) -> Void
    /// Discards the unsent data of a closed channel. Does not retain the channel, and also has an effect after the
    /// channel has been released.
    var discardUnsentData: @Sendable () -> Void

    /// Opens a node of this machine.
    static func open(_ node: ChannelNode, clock: any DeviceClock) throws(DeviceError) -> OpenedChannel {
        OpenedChannel(try ChannelOpener.open(node, clock: clock))
    }
}

extension OpenedChannel {
    init(_ node: NodeChannel) {
        self.init(
            channel: node,
            end: { [weak node] reason, done in if let node { node.end(reason, then: done) } else { done() } },
            whenReleased: { [weak node] body in if let node { node.whenReleased(body) } else { body() } },
            discardUnsentData: node.abandon)
    }
}

/// The result of checking whether a node can be opened.
enum NodeAccess: Sendable {
    case ready
    /// The node does not exist.
    case missing
    /// This process lacks the permission to open the node.
    case forbidden

    /// Checks a node without opening it, because opening would raise DTR, which resets many boards.
    init(path: String) {
        if access(path, R_OK | W_OK) == 0 {
            self = .ready
        } else {
            self = errno == EACCES || errno == EPERM || errno == EROFS ? .forbidden : .missing
        }
    }
}
