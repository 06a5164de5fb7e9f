// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import SystemCalls
package import Trace

/// File contents that can be read repeatedly and in pieces.
enum FileContents {
    case file(String)
    case memory(TraceBytes, name: String)
    case stream(name: String, open: (_ offset: Int) -> any ByteSource)

    var name: String {
        switch self {
        case .file(let path): path
        case .memory(_, let name): name
        case .stream(let name, _): name
        }
    }

    /// Opens a file. Anything other than a regular file, such as a pipe, is read into memory, because it cannot be read
    /// twice.
    static func open(_ path: String) throws(DeviceError) -> FileContents {
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG { return .file(path) }
        return .memory(try TraceBytes(path: path), name: path)
    }

    func source(from offset: Int = 0) throws(DeviceError) -> any ByteSource {
        switch self {
        case .file(let path): try FileSource(path, from: offset)
        case .memory(let bytes, _): MemorySource(bytes, from: offset)
        case .stream(_, let open): open(offset)
        }
    }

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

private final class FileSource: ByteSource {
    private let path: String
    private let descriptor: Int32
    private let size: Int
    private var offset: Int

    init(_ path: String, from offset: Int) throws(DeviceError) {
        (self.path, self.offset) = (path, offset)
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        var status = stat()
        size = descriptor >= 0 && fstat(descriptor, &status) == 0 ? Int(clamping: status.st_size) : 0
        guard descriptor >= 0 else { throw FileIO.readError(path, call: "open", errno: errno) }
        if offset > 0, lseek(descriptor, off_t(offset), SEEK_SET) < 0 {
            throw FileIO.readError(path, call: "lseek", errno: errno)
        }
    }

    deinit { close(descriptor) }

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
                throw FileIO.readError(path, call: "read", errno: errno)
            }
        }
        offset += filled
        ReadProgress.update(offset, of: size)
        return filled
    }
}

/// A source of bytes that are read sequentially.
package protocol ByteSource: AnyObject {
    /// Reads bytes into a non-empty buffer and returns their number, or 0 at the end of the input. Fills the buffer
    /// unless the input ends, because `FileContents.prefix` reads only once. All other callers accept fewer bytes.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(DeviceError) -> Int
}

/// A source that reads from memory or from a mapped file.
package final class MemorySource: ByteSource {
    /// The number of bytes that are read from a mapped file before their memory pages are released (8 MiB).
    private static let window = 8 << 20
    private let bytes: TraceBytes
    private var offset: Int
    private var releasedOffset = 0

    package convenience init(_ bytes: [UInt8], from offset: Int = 0) { self.init(TraceBytes(bytes), from: offset) }

    package init(_ bytes: TraceBytes, from offset: Int = 0) {
        self.bytes = bytes
        self.offset = min(max(offset, 0), bytes.count)
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(buffer.count, bytes.count - offset)
        bytes.withUnsafeBytes { bytes in
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]))
        }
        offset += count
        ReadProgress.update(offset, of: bytes.count)
        if offset - releasedOffset >= Self.window {
            bytes.releaseMemory(of: releasedOffset..<offset)
            releasedOffset = offset
        }
        return count
    }
}
