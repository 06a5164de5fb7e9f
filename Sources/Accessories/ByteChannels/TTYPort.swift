// SPDX-License-Identifier: Apache-2.0

package import AccessoryFinding
import SystemCalls
package import DeviceCore

/// An open serial port in raw mode, locked for exclusive use.
package final class TTYPort: Port {
    package let descriptor: Int32
    package let path: String
    /// The time that incoming data takes to fill half of the kernel's 4 KiB buffer, in seconds. Input may be lost once
    /// the buffer is full. With hardware flow control, nothing is lost, so the time is infinite.
    package let inputBufferingTime: Double?

    /// Creates a port for an open descriptor and configures it. Closes the descriptor if the configuration fails.
    package init(descriptor: Int32, path: String, settings: TTYSettings) throws(NodeFailure) {
        self.descriptor = descriptor
        self.path = path
        inputBufferingTime = settings.usesHardwareFlowControl ? .infinity : 2048 * 10 / Double(max(1, settings.speed))
        do {
            try TTYLine(descriptor: descriptor, path: path).setUp(settings)
        } catch {
            systemClose(descriptor)
            throw error
        }
    }

    package static func open(_ path: String, _ settings: TTYSettings) throws(DeviceError) -> TTYPort {
        do throws(NodeFailure) { return try attempt(path, settings) } catch { throw error.deviceError }
    }

    static func attempt(_ path: String, _ settings: TTYSettings) throws(NodeFailure) -> TTYPort {
        guard settings.speed > 0 else {
            throw NodeFailure(
                .invalidConfiguration,
                "The speed 0 hangs up. Set the speed of the accessory on \(path), such as 115200.")
        }
        // Without O_NONBLOCK, opening a port may wait for a carrier.
        let descriptor = systemOpen(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw NodeFailure(opening: path, errno: errno) }
        return try TTYPort(descriptor: descriptor, path: path, settings: settings)
    }

    package func release(timeout: Double, isAborted: () -> Bool) {
        let line = TTYLine(descriptor: descriptor, path: path)
        let unsentBytes = TTYPort.drainOutput({ line.bytesToSend }, timeout: timeout, isAborted: isAborted)
        // Discards unsent output, because close(2) would otherwise wait for the device. tcflush(3) is called only if
        // unsent output remains, because on a pseudo-terminal it also discards bytes that the other side has not read
        // yet.
        if unsentBytes > 0 { tcflush(descriptor, TCOFLUSH) }
        line.endExclusiveMode()
        systemClose(descriptor)
    }

    /// Waits until all bytes have been sent, for at most `timeout` seconds. Returns the number of unsent bytes.
    package static func drainOutput(_ bytes: () -> Int, timeout: Double, isAborted: () -> Bool) -> Int {
        var remainingTime = timeout
        var unsentBytes = bytes()
        while unsentBytes > 0, remainingTime > 0, !isAborted() {
            WorkerThread.sleep(seconds: 0.01)
            remainingTime -= 0.01
            unsentBytes = bytes()
        }
        return unsentBytes
    }
}
