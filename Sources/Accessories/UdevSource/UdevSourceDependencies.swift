// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import ByteChannels
import DeviceCore
import Dispatch
import SystemCalls
import UdevMonitor

/// The functions through which a source accesses the system. Tests replace them.
struct UdevSourceDependencies: Sendable {
    /// Starts monitoring devices. The returned closure stops monitoring.
    var watch: @Sendable (@escaping @Sendable (UdevEvent) -> Void) -> @Sendable () -> Void
    var open: @Sendable (ChannelNode) throws(DeviceError) -> OpenedChannel
    var checkAccess: @Sendable (String) -> NodeAccess
    var inotify = Inotify()
    /// Opens file descriptors in advance, because the process may have run out by the time they are needed. The
    /// returned closure is called after everything else has started.
    var prepare: @Sendable () -> @Sendable () -> Void = { {} }
    /// Called when the list of problems may have changed.
    var onProblems: @Sendable () -> Void = {}
    /// Waits for the first scan of all devices. Returns false if the scan takes longer than 10 s, which most likely
    /// means that the system is hanging.
    var wait: @Sendable (DispatchGroup) -> Bool = { $0.wait(timeout: .now() + 10) == .success }

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

/// A newly opened channel, and the closures that its source uses to control it. The closures do not retain the channel.
struct OpenedChannel: Sendable {
    var channel: any ByteChannel
    /// Ends the channel. Calls the closure after the observer has been notified of the end. Does not wait for the app
    /// to read buffered bytes.
    var end: @Sendable (ByteChannelEnd, @escaping @Sendable () -> Void) -> Void
    /// Calls the closure once other programs can open the node.
    var whenReleased: @Sendable (@escaping @Sendable () -> Void) -> Void
    /// Discards a closed channel's unsent data. Has an effect even if the channel has already been released.
    var discardUnsentData: @Sendable () -> Void

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

enum NodeAccess: Sendable {
    case ready
    case missing
    case forbidden

    /// Checks whether the node can be opened, without opening it. Opening it would raise DTR, which resets many boards.
    init(path: String) {
        if access(path, R_OK | W_OK) == 0 {
            self = .ready
        } else {
            self = errno == EACCES || errno == EPERM || errno == EROFS ? .forbidden : .missing
        }
    }
}
