// SPDX-License-Identifier: Apache-2.0

package import AccessoryFinding
import SystemCalls
import DeviceCore

/// Reports of a HID device. What is written has its number in front, which is 0 where reports are not numbered.
package final class HIDPort: Port {
    package let descriptor: Int32
    package let path: String
    private let settings: HIDFraming
    package var framing: HIDFraming? { settings }

    /// Takes over a descriptor that gives and takes a report at a time, and does not block.
    package init(descriptor: Int32, path: String, framing: HIDFraming) {
        self.descriptor = descriptor
        self.path = path
        settings = framing
    }

    static func attempt(_ path: String, _ framing: HIDFraming) throws(NodeFailure) -> HIDPort {
        guard (1...16_384).contains(framing.reportLength) else {
            throw NodeFailure(
                .invalidConfiguration,
                "A report of \(framing.reportLength) bytes cannot be: \(path) needs a length from 1 to 16384.")
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

    /// The buffer holds a byte more than a report. Where reports are numbered the number comes first, and reports of
    /// other numbers are passed over; the kernel drops what is longer than the buffer.
    package func read(into buffer: UnsafeMutableRawBufferPointer) -> PortResult {
        let isNumbered = settings.reportNumber != 0
        let length = min(buffer.count, settings.reportLength + (isNumbered ? 1 : 0))
        let result = PortResult.reading(
            descriptor, UnsafeMutableRawBufferPointer(rebasing: buffer[..<length]), path: path)
        guard case .bytes(let count) = result, isNumbered else { return result }
        guard buffer[0] == settings.reportNumber else { return .bytes(0) }
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[1..<count]))
        return .bytes(count - 1)
    }

    package func release(patience: Double, isGivenUp: () -> Bool) {
        systemClose(descriptor)
    }
}
