// SPDX-License-Identifier: Apache-2.0

package import AccessoryFinding
import SystemCalls
import DeviceCore

/// The reports of a HID device. A written report is preceded by its number, which is 0 if reports are not numbered.
package final class HIDPort: Port {
    package let descriptor: Int32
    package let path: String
    private let settings: HIDFraming
    package var framing: HIDFraming? { settings }

    /// Creates a port of an open, nonblocking descriptor that transfers one report per call. The port closes the
    /// descriptor.
    package init(descriptor: Int32, path: String, framing: HIDFraming) {
        self.descriptor = descriptor
        self.path = path
        settings = framing
    }

    static func attempt(_ path: String, _ framing: HIDFraming) throws(NodeFailure) -> HIDPort {
        guard (1...16_384).contains(framing.reportLength) else {
            throw NodeFailure(
                .invalidConfiguration,
                "The report length \(framing.reportLength) of \(path) is invalid. Use a length from 1 to 16384.")
        }
        let descriptor = systemOpen(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw NodeFailure(opening: path, errno: errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let number = errno
            systemClose(descriptor)
            throw NodeFailure(opening: path, call: "flock", errno: number)
        }
        return HIDPort(descriptor: descriptor, path: path, framing: framing)
    }

    package func interest(reads: Bool, writes: Bool) -> Int16 { reads ? Int16(POLLIN) : 0 }

    /// Reads a report. The buffer has to be one byte longer than a report: numbered reports begin with their number,
    /// which is removed. Reports with other numbers are skipped. The kernel drops bytes beyond the end of the buffer.
    package func read(into buffer: UnsafeMutableRawBufferPointer) -> PortResult {
        let isNumbered = settings.reportNumber != 0
        let length = min(buffer.count, settings.reportLength + (isNumbered ? 1 : 0))
        let result = PortResult.read(
            descriptor, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<length]), path: path)
        guard case .bytes(let count) = result, isNumbered else { return result }
        guard buffer[0] == settings.reportNumber else { return .bytes(0) }
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[1..<count]))
        return .bytes(count - 1)
    }

    package func release(timeout: Double, isAborted: () -> Bool) {
        systemClose(descriptor)
    }
}
