// SPDX-License-Identifier: Apache-2.0

import SystemCalls
package import DeviceCore

/// The bytes of a recording, held in memory or in a mapped file.
///
/// Files larger than 64 MiB are mapped on 64-bit platforms. Readers release the memory behind their position, so even
/// long recordings occupy little memory. If another process truncates a mapped file while it is being read, the missing
/// part reads as zeros and readers report the truncation. Appending to the file is harmless.
package struct TraceBytes: Sendable, Equatable {
    private enum Storage: Sendable {
        case memory([UInt8])
        case file(MappedFile)
        case lazy(LazyBytes)
    }

    /// The maximum size of a file that is read into memory (64 MiB).
    static let maximumSizeInMemory = 64 << 20
    private let storage: Storage

    package init(_ bytes: [UInt8]) { storage = .memory(bytes) }

    init(_ file: MappedFile) { storage = .file(file) }

    init(_ lazyBytes: LazyBytes) { storage = .lazy(lazyBytes) }

    /// Reads or maps a regular file. Any other file, such as a pipe, is read to its end, which may block. Throws an
    /// error if such a file exceeds ``TraceFile/maximumSize``.
    package init(path: String) throws(DeviceError) {
        try self.init(path: path, largestInMemory: Self.maximumSizeInMemory)
    }

    init(path: String, largestInMemory: Int) throws(DeviceError) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG, status.st_mode & S_IFMT != S_IFDIR else {
            try self.init(file: path, largestInMemory: largestInMemory)
            return
        }
        // If the path refers to a descriptor of this process, as /dev/stdin does, the descriptor is duplicated. Opening
        // the path instead would block if the descriptor were a pipe without a writer.
        let own = Self.ownDescriptor(path)
        let descriptor = own.map { fcntl($0, F_DUPFD_CLOEXEC, 0) } ?? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw FileIO.readError(path, call: "open", errno: errno) }
        defer { close(descriptor) }
        try self.init(stream: descriptor, name: path)
    }

    /// Returns the descriptor to which a path such as /dev/stdin refers, or nil for other paths.
    private static func ownDescriptor(_ path: String) -> Int32? {
        if path == "/dev/stdin" { return STDIN_FILENO }
        for folder in ["/dev/fd/", "/proc/self/fd/"] where path.hasPrefix(folder) {
            return Int32(path.dropFirst(folder.count))
        }
        return nil
    }

    private init(file path: String, largestInMemory: Int) throws(DeviceError) {
        var status = stat()
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileIO.readError(path, call: "open", errno: errno) }
        defer { close(descriptor) }
        guard Int.bitWidth > 32, fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            Int(clamping: status.st_size) > largestInMemory
        else {
            // Reads to the end of the file instead of relying on the reported size, which may be too small, for example
            // in /proc.
            try self.init(stream: descriptor, name: path, largestInMemory: largestInMemory)
            return
        }
        guard let file = MappedFile(descriptor: descriptor, count: Int(clamping: status.st_size)) else {
            throw FileIO.readError(path, call: "mmap", errno: errno)
        }
        self.init(file)
    }

    /// The mapped file, or nil for bytes in memory.
    var file: MappedFile? { if case .file(let file) = storage { file } else { nil } }

    /// True if the file has been truncated since it was mapped.
    package var isTruncated: Bool { file?.isTruncated == true }

    /// Releases the memory of a range of a mapped file. The bytes stay accessible.
    package func releaseMemory(of range: Range<Int>) { file?.releaseMemory(of: range) }

    @inline(__always) package func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        switch storage {
        case .memory(let bytes): return try bytes.withBytes(body)
        case .file(let file):
            return try withExtendedLifetime(file) { () throws(Failure) in try body(file.bytes) }
        case .lazy(let lazyBytes): return try lazyBytes.bytes.withBytes(body)
        }
    }

    /// True if both values contain the same bytes, regardless of how they are stored.
    package static func == (left: TraceBytes, right: TraceBytes) -> Bool {
        left.count == right.count && left.elementsEqual(right)
    }
}

extension TraceBytes: RandomAccessCollection {
    package var startIndex: Int { 0 }

    package var endIndex: Int { withUnsafeBytes { $0.count } }

    package subscript(position: Int) -> UInt8 {
        switch storage {
        case .memory(let bytes): bytes[position]
        case .file(let file): file.bytes[position]
        case .lazy(let lazyBytes): lazyBytes.bytes[position]
        }
    }

    package func withContiguousStorageIfAvailable<Result>(
        _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result? {
        switch storage {
        case .memory(let bytes): try bytes.withUnsafeBufferPointer(body)
        case .file(let file):
            try withExtendedLifetime(file) { try file.bytes.withMemoryRebound(to: UInt8.self, body) }
        case .lazy(let lazyBytes): try lazyBytes.bytes.withUnsafeBufferPointer(body)
        }
    }
}

extension [UInt8] {
    /// Calls the closure and rethrows its typed error. `Array.withUnsafeBytes` does not support typed errors on every
    /// platform.
    @inline(__always) package func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let result = withUnsafeBytes { bytes -> Swift.Result<Result, Failure> in
            do throws(Failure) {
                return .success(try body(bytes))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}
