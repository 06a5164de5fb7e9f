// SPDX-License-Identifier: Apache-2.0

package import AccessoryFinding
import SystemCalls
package import DeviceCore

/// A serial port, or a pseudo-terminal.
package final class TTYPort: Port {
    package let descriptor: Int32
    package let path: String
    /// Without flow control a driver that finds the line's 4 KiB full leaves what comes in to the hardware. Half of that, at
    /// ten bits a byte.
    package let inputPatience: Double?

    /// Takes over an open port, which is set up and closed when that fails.
    package init(descriptor: Int32, path: String, settings: TTYSettings) throws(NodeFailure) {
        self.descriptor = descriptor
        self.path = path
        inputPatience = settings.usesHardwareFlowControl ? .infinity : 2048 * 10 / Double(max(1, settings.speed))
        do {
            try TTYLine(descriptor: descriptor, path: path).setUp(settings)
        } catch {
            systemClose(descriptor)
            throw error
        }
    }

    package static func open(_ path: String, _ settings: TTYSettings) throws(DeviceError) -> TTYPort {
        do throws(NodeFailure) { return try attempt(path, settings) } catch { throw error.described }
    }

    static func attempt(_ path: String, _ settings: TTYSettings) throws(NodeFailure) -> TTYPort {
        guard settings.speed > 0 else {
            throw NodeFailure(
                .invalidConfiguration, "A speed of 0 hangs up. Give \(path) the speed of the accessory, as in 115200.")
        }
        // Not blocking: opening would wait for a carrier on some ports.
        let descriptor = systemOpen(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw NodeFailure(opening: path, errno: errno) }
        return try TTYPort(descriptor: descriptor, path: path, settings: settings)
    }

    package func release(patience: Double, isGivenUp: () -> Bool) {
        let line = TTYLine(descriptor: descriptor, path: path)
        let waiting = TTYPort.waits(for: { line.bytesToSend }, patience: patience, isGivenUp: isGivenUp)
        // Else closing waits again for a device that takes nothing. Never where nothing waits: on a pseudo-terminal this
        // takes back what the other side has not read. What is in the hardware's own queue is not counted: closing waits
        // for that, see SerialDriver.
        if waiting > 0 { tcflush(descriptor, TCOFLUSH) }
        line.share()
        systemClose(descriptor)
    }

    /// Waits until nothing is left to be sent, for that many seconds; how much is left.
    package static func waits(for bytes: () -> Int, patience: Double, isGivenUp: () -> Bool) -> Int {
        var rest = patience
        var waiting = bytes()
        while waiting > 0, rest > 0, !isGivenUp() {
            WorkerThread.pause(seconds: 0.01)
            rest -= 0.01
            waiting = bytes()
        }
        return waiting
    }
}
