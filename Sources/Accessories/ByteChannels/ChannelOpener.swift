// SPDX-License-Identifier: Apache-2.0

package import AccessoryFinding
package import DeviceCore

/// Opens what an accessory is talked to through.
package enum ChannelOpener {
    /// Opens a node for this program alone; the error says why that cannot be, and what to do about it.
    ///
    /// A node that is in use, or that this user may not open yet, is tried again for at most a tenth of a second: other
    /// programs look at a new port, and udev may be about to give it to the user.
    ///
    /// - Parameter pauses: How long to wait between attempts, in seconds.
    package static func open(
        _ node: ChannelNode, clock: any DeviceClock, pauses: [Double] = [0.01, 0.02, 0.03, 0.04]
    ) throws(DeviceError) -> NodeChannel {
        let port = try trying(pauses: pauses, clock: LiveClock()) { () throws(NodeFailure) -> any Port in
            try Self.port(node)
        }
        return try NodeChannel(port, clock: clock)
    }

    /// Tries again what fails for a reason that may pass. Only the last failure is put into words: finding out who has a
    /// node takes many times as long as an attempt.
    ///
    /// - Parameters:
    ///   - pauses: How long to wait between attempts, in seconds. No attempt begins later than their sum.
    ///   - clock: What that is measured with.
    package static func trying<Value>(
        pauses: [Double], clock: any DeviceClock, _ attempt: () throws(NodeFailure) -> Value
    ) throws(DeviceError) -> Value {
        let deadline = clock.now.advanced(bySeconds: pauses.reduce(0, +))
        var pauses = pauses[...]
        while true {
            do throws(NodeFailure) {
                return try attempt()
            } catch {
                guard error.isPassing, let pause = pauses.popFirst(),
                    clock.now.advanced(bySeconds: pause) <= deadline
                else { throw error.described }
                WorkerThread.pause(seconds: pause)
            }
        }
    }

    private static func port(_ node: ChannelNode) throws(NodeFailure) -> any Port {
        guard !node.path.isEmpty else {
            throw NodeFailure(.invalidConfiguration, "The path of a node is empty.")
        }
        return switch node {
        case .tty(let path, let settings): try TTYPort.attempt(path, settings)
        case .hidraw(let path, let framing): try HIDPort.attempt(path, framing)
        case .socket(let path): try SocketPort.attempt(path)
        case .usb(let endpoints): try USBPort.attempt(endpoints, kernel: LiveUSBKernel())
        }
    }
}
