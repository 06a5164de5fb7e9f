// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import SystemCalls
package import Trace

/// A file that is read in pieces and more than once, or bytes in memory in its place.
enum FileChunks {
    case file(String)
    case memory(TraceBytes, name: String)
    /// Anything that can give its bytes from an offset on, as often as it is asked to.
    case stream(name: String, open: (_ offset: Int) -> any ByteSource)

    /// What to call it in messages.
    var name: String {
        switch self {
        case .file(let path): path
        case .memory(_, let name): name
        case .stream(let name, _): name
        }
    }

    /// The file at a path. What cannot be read twice, such as a pipe, is waited for and read as a whole.
    static func open(_ path: String) throws(DeviceError) -> FileChunks {
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG { return .file(path) }
        return .memory(try TraceBytes(path: path), name: path)
    }

    /// The bytes from an offset on.
    func source(from offset: Int = 0) throws(DeviceError) -> any ByteSource {
        switch self {
        case .file(let path): try FileSource(path, from: offset)
        case .memory(let bytes, _): MemorySource(bytes, from: offset)
        case .stream(_, let open): open(offset)
        }
    }

    /// The first bytes, at most so many.
    func prefix(_ count: Int) throws(DeviceError) -> [UInt8] {
        let source = try source()
        var bytes = [UInt8](repeating: 0, count: count)
        let filled = try bytes.withUnsafeMutableBufferPointer { (buffer) throws(DeviceError) in
            try source.read(into: UnsafeMutableRawBufferPointer(buffer))
        }
        bytes.removeLast(count - filled)
        return bytes
    }
}

/// Reads a file from an offset on.
private final class FileSource: ByteSource {
    private let path: String
    private let descriptor: Int32

    init(_ path: String, from offset: Int) throws(DeviceError) {
        self.path = path
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileBytes.failedToRead(path, call: "open", errno: errno) }
        if offset > 0, lseek(descriptor, off_t(offset), SEEK_SET) < 0 {
            throw FileBytes.failedToRead(path, call: "lseek", errno: errno)
        }
    }

    deinit { close(descriptor) }

    /// Fills the buffer, unless the file ends.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(DeviceError) -> Int {
        var filled = 0
        while filled < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
            let count = systemRead(descriptor, rest)
            if count > 0 {
                filled += min(count, rest.count)
            } else if count == 0 {
                break
            } else if errno != EINTR {
                throw FileBytes.failedToRead(path, call: "read", errno: errno)
            }
        }
        return filled
    }
}

/// Where the bytes of a file come from.
package protocol ByteSource: AnyObject {
    /// Puts the next bytes into the buffer, which is never empty, and returns how many; 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(DeviceError) -> Int
}

/// Bytes that are there already.
package final class MemorySource: ByteSource {
    /// After so many the memory behind is given back, where the bytes lie in a file.
    private static let window = 8 << 20
    private let bytes: TraceBytes
    private var offset: Int
    private var kept = 0

    /// - Parameter offset: Where to begin.
    package convenience init(_ bytes: [UInt8], from offset: Int = 0) { self.init(TraceBytes(bytes), from: offset) }

    /// - Parameter offset: Where to begin.
    package init(_ bytes: TraceBytes, from offset: Int = 0) {
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
        if offset - kept >= Self.window {
            bytes.forget(kept..<offset)
            kept = offset
        }
        return count
    }
}
