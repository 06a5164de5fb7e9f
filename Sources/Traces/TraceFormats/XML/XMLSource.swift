// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

/// Where the bytes of an XML text come from.
package protocol XMLSource: AnyObject {
    /// Puts the next bytes into the buffer, which is never empty, and returns how many; 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(DeviceError) -> Int
}

/// An XML text in memory.
package final class XMLBytes: XMLSource {
    private let bytes: [UInt8]
    private var offset: Int

    /// - Parameter offset: Where to begin.
    package init(_ bytes: [UInt8], from offset: Int = 0) {
        self.bytes = bytes
        self.offset = min(max(offset, 0), bytes.count)
    }

    /// Copies what fits.
    package func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(buffer.count, bytes.count - offset)
        bytes.withUnsafeBytes { bytes in
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]))
        }
        offset += count
        return count
    }
}
