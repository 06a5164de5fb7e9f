// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// Opens what an accessory is talked to through.
public enum ChannelOpener {
    /// Opens a node for this program alone; the error says why that cannot be, and what to do about it.
    ///
    /// A node that is in use, or that this user may not open yet, is tried again for at most a tenth of a second: other
    /// programs look at a new port, and udev may be about to give it to the user.
    public static func open(_ node: ChannelNode, clock: any DeviceClock) throws(DeviceError) -> NodeChannel {
        try open(node, clock: clock, pauses: [0.01, 0.02, 0.03, 0.04])
    }

    /// - Parameter pauses: How long to wait between attempts, in seconds.
    package static func open(
        _ node: ChannelNode, clock: any DeviceClock, pauses: [Double]
    ) throws(DeviceError) -> NodeChannel {
        var pauses = pauses[...]
        while true {
            do {
                return try NodeChannel(port(node), clock: clock)
            } catch {
                guard error.code == .busy || error.code == .permissionDenied, let pause = pauses.popFirst() else {
                    throw error
                }
                WorkerThread.pause(seconds: pause)
            }
        }
    }

    private static func port(_ node: ChannelNode) throws(DeviceError) -> any Port {
        guard !node.path.isEmpty else {
            throw DeviceError(.invalidConfiguration, "The path of a node is empty.")
        }
        return switch node {
        case .tty(let path, let settings): try TTYPort.open(path, settings)
        case .hidraw(let path, let framing): try HIDPort.open(path, framing)
        case .socket(let path): try SocketPort.open(path)
        case .usb(let endpoints): try USBPort.open(endpoints, kernel: LiveUSBKernel())
        }
    }
}
