// SPDX-License-Identifier: Apache-2.0

#if LibUdev
import JSONBytes
import SystemCalls

/// Reads attributes of sysfs: libudev would keep them, and end binary ones at the first zero.
final class AttributeReader {
    static let longestText = 4096
    static let longestBinary = 65_536
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: longestBinary, alignment: 16)

    /// Why a file could not be opened that may well be there, since that was last set to nil.
    var shortage: Int32?

    /// True for errors that say nothing about what was to be opened.
    static func isShortage(_ error: Int32) -> Bool { [EMFILE, ENFILE, ENOMEM].contains(error) }

    deinit {
        buffer.deallocate()
    }

    /// The text at the first of the paths that has the attribute, without the line's end.
    func text(_ name: String, at paths: [String]) -> String? {
        guard var bytes = bytes(name, at: paths, limit: Self.longestText) else { return nil }
        if let zero = bytes.firstIndex(of: 0) { bytes = bytes[..<zero] }
        while bytes.last == UInt8(ascii: "\n") { bytes = bytes.dropLast() }
        return String(decoding: UnsafeRawBufferPointer(rebasing: bytes), as: UTF8.self)
    }

    /// The bytes there, as hexadecimal digits.
    func digits(_ name: String, at paths: [String]) -> String? {
        guard let bytes = bytes(name, at: paths, limit: Self.longestBinary) else { return nil }
        return HexDigit.text(bytes)
    }

    private func bytes(_ name: String, at paths: [String], limit: Int) -> Slice<UnsafeRawBufferPointer>? {
        for path in paths {
            // Not blocking: nothing here is to be waited for.
            let descriptor = open("\(path)/\(name)", O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
            guard descriptor >= 0 else {
                let error = errno
                if Self.isShortage(error) { shortage = error }
                continue
            }
            defer { close(descriptor) }
            var count = 0
            while count < limit {
                let result = read(descriptor, buffer.baseAddress?.advanced(by: count), limit - count)
                if result < 0, errno == EINTR { continue }
                // A folder, or an attribute that cannot be read just now.
                guard result >= 0 else { return nil }
                guard result > 0 else { break }
                count += result
            }
            return UnsafeRawBufferPointer(buffer)[..<count]
        }
        return nil
    }
}
#endif
