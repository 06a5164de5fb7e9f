// SPDX-License-Identifier: Apache-2.0

package import AccessoryFinding
package import DeviceCore

/// Opens the channels to accessories.
package enum ChannelOpener {
    /// Opens a node for exclusive use. Errors contain the reason and a remedy.
    ///
    /// If the node is in use or the user has no permission yet, opening is retried for at most a tenth of a second:
    /// other programs probe new ports, and udev may be about to change the permissions.
    ///
    /// - Parameter pauses: The pauses between attempts, in seconds.
    package static func open(
        _ node: ChannelNode, clock: any DeviceClock, pauses: [Double] = [0.01, 0.02, 0.03, 0.04]
    ) throws(DeviceError) -> NodeChannel {
        let port = try retrying(pauses: pauses, clock: LiveClock()) { () throws(NodeFailure) -> any Port in
            try Self.port(node)
        }
        return try NodeChannel(port, clock: clock)
    }

    /// Retries an attempt that fails for a temporary reason. Only the last failure is converted to an error message,
    /// because finding the process that has a node open takes much longer than an attempt.
    ///
    /// - Parameters:
    ///   - pauses: The pauses between attempts, in seconds. No attempt begins later than their sum.
    ///   - clock: The clock that measures that time.
    package static func retrying<Value>(
        pauses: [Double], clock: any DeviceClock, _ attempt: () throws(NodeFailure) -> Value
    ) throws(DeviceError) -> Value {
        let deadline = clock.now.advanced(bySeconds: pauses.reduce(0, +))
        var pauses = pauses[...]
        while true {
            do throws(NodeFailure) {
                return try attempt()
            } catch {
                guard error.isTemporary, let pause = pauses.popFirst(),
                    clock.now.advanced(bySeconds: pause) <= deadline
                else { throw error.deviceError }
                WorkerThread.sleep(seconds: pause)
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
