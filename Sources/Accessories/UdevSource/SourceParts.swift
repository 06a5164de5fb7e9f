// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import Dispatch
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
