// SPDX-License-Identifier: Apache-2.0

#if LibUdev
import JSONBytes
import SystemCalls

/// Reads sysfs attributes. Does not use libudev, because it caches attributes and truncates binary attributes at the
/// first zero byte.
final class AttributeReader {
    static let maximumTextLength = 4096
    static let maximumBinaryLength = 65_536
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: maximumBinaryLength, alignment: 16)

    /// The last error caused by a lack of resources, or `nil` if there was none. The caller resets this property.
    var resourceError: Int32?

    /// Returns true if an error indicates a lack of resources. After such an error, it is unknown whether the file
    /// exists.
    static func isResourceError(_ error: Int32) -> Bool { [EMFILE, ENFILE, ENOMEM].contains(error) }

    deinit { buffer.deallocate() }

    /// Reads a text attribute from the first path that has it. Removes trailing newlines.
    func text(_ name: String, at paths: [String]) -> String? {
        guard var bytes = bytes(name, at: paths, limit: Self.maximumTextLength) else { return nil }
        if let zero = bytes.firstIndex(of: 0) { bytes = bytes[..<zero] }
        while bytes.last == UInt8(ascii: "\n") { bytes = bytes.dropLast() }
        return String(decoding: UnsafeRawBufferPointer(rebasing: bytes), as: UTF8.self)
    }

    func hexadecimal(_ name: String, at paths: [String]) -> String? {
        guard let bytes = bytes(name, at: paths, limit: Self.maximumBinaryLength) else { return nil }
        return HexDigit.text(bytes)
    }

    /// Returns a slice of `buffer` that is valid until the next call. Attributes longer than `limit` are truncated.
    private func bytes(_ name: String, at paths: [String], limit: Int) -> Slice<UnsafeRawBufferPointer>? {
        for path in paths {
            // `O_NONBLOCK` prevents `open` from blocking.
            let descriptor = open("\(path)/\(name)", O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
            guard descriptor >= 0 else {
                let error = errno
                if Self.isResourceError(error) { resourceError = error }
                continue
            }
            defer { close(descriptor) }
            var count = 0
            while count < limit {
                let result = read(descriptor, buffer.baseAddress?.advanced(by: count), limit - count)
                if result < 0, errno == EINTR { continue }
                // The path is a directory, or the attribute is temporarily unreadable.
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
