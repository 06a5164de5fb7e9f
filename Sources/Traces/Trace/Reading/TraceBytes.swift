// SPDX-License-Identifier: Apache-2.0

import SystemCalls
public import DeviceCore

/// The bytes of a recording: in memory, or in a large file that the system brings into memory as it is read.
///
/// Files of more than 64 MiB are mapped: readers give the memory behind them back, so that a recording of any length
/// needs little. Such a file must not be cut off by others while it is read, for then the system ends the program
/// (SIGBUS); writing more to its end does no harm.
public struct TraceBytes: Sendable {
    private enum Storage: Sendable {
        case memory([UInt8])
        case file(MappedFile)
    }

    /// Files up to this size are read into memory.
    static let largestInMemory = 64 << 20

    private let storage: Storage

    /// Bytes in memory.
    public init(_ bytes: [UInt8]) { storage = .memory(bytes) }

    init(_ file: MappedFile) { storage = .file(file) }

    /// The bytes of a file. What is no plain file, such as a pipe, is read into memory, up to ``TraceFile/maximumSize``.
    ///
    /// - Throws: an error that says what to do.
    public init(path: String) throws(DeviceError) { try self.init(path: path, largestInMemory: Self.largestInMemory) }

    init(path: String, largestInMemory: Int) throws(DeviceError) {
        var status = stat()
        guard Int.bitWidth > 32, stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            Int(clamping: status.st_size) > largestInMemory
        else {
            self.init(try FileBytes.read(path, limit: TraceFile.maximumSize))
            return
        }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileBytes.failedToRead(path, call: "open", errno: errno) }
        defer { close(descriptor) }
        // It may have grown or shrunk since.
        guard fstat(descriptor, &status) == 0 else { throw FileBytes.failedToRead(path, call: "fstat", errno: errno) }
        guard let file = MappedFile(descriptor: descriptor, count: Int(clamping: status.st_size)) else {
            throw FileBytes.failedToRead(path, call: "mmap", errno: errno)
        }
        self.init(file)
    }

    /// The file behind them; nil for those in memory.
    var file: MappedFile? { if case .file(let file) = storage { file } else { nil } }

    /// Gives the memory of a part back where that is possible. The bytes stay as they are.
    package func forget(_ range: Range<Int>) { file?.forget(range) }

    /// Calls the closure with the bytes, which are in place for as long as it runs.
    @inline(__always)
    public func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        switch storage {
        case .memory(let bytes): return try bytes.withBytes(body)
        case .file(let file):
            return try withExtendedLifetime(file) { () throws(Failure) in try body(file.bytes) }
        }
    }
}

extension TraceBytes: Equatable {
    /// True when the bytes are the same, wherever they lie.
    public static func == (left: TraceBytes, right: TraceBytes) -> Bool {
        left.count == right.count && left.elementsEqual(right)
    }
}

extension TraceBytes: RandomAccessCollection {
    /// Always 0.
    public var startIndex: Int { 0 }

    /// How many bytes there are.
    public var endIndex: Int {
        switch storage {
        case .memory(let bytes): bytes.count
        case .file(let file): file.count
        }
    }

    /// The byte at that place.
    public subscript(position: Int) -> UInt8 {
        switch storage {
        case .memory(let bytes): bytes[position]
        case .file(let file): file.bytes[position]
        }
    }

    /// Calls the closure with the bytes.
    public func withContiguousStorageIfAvailable<Result>(
        _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result? {
        switch storage {
        case .memory(let bytes): try bytes.withUnsafeBufferPointer(body)
        case .file(let file):
            try withExtendedLifetime(file) { try file.bytes.withMemoryRebound(to: UInt8.self, body) }
        }
    }
}

/// A file whose pages the system brings into memory when they are read, and takes back when it needs the room.
final class MappedFile: Sendable {
    /// So many bytes may stay in memory behind a reader before it gives them back.
    static let window = 8 << 20

    let count: Int
    private let start: UInt
    private let pageSize: Int

    /// Maps so many bytes of an open file, which may be closed afterwards; nil when the system does not, and then errno
    /// says why.
    init?(descriptor: Int32, count: Int) {
        guard count > 0, let start = mmap(nil, count, PROT_READ, MAP_SHARED, descriptor, 0),
            start != UnsafeMutableRawPointer(bitPattern: -1)
        else { return nil }
        self.count = count
        self.start = UInt(bitPattern: start)
        pageSize = max(Int(sysconf(Int32(_SC_PAGESIZE))), 1)
        _ = madvise(start, count, MADV_SEQUENTIAL)
    }

    deinit { munmap(UnsafeMutableRawPointer(bitPattern: start), count) }

    /// The bytes, which are there as long as the object is.
    var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: start), count: count)
    }

    /// Gives the memory of a part back. Its bytes can be read again at any time: they come from the file then.
    func forget(_ range: Range<Int>) {
        let lower = range.lowerBound / pageSize * pageSize
        let upper = min(range.upperBound, count) / pageSize * pageSize
        guard lower >= 0, upper > lower else { return }
        _ = madvise(UnsafeMutableRawPointer(bitPattern: start + UInt(lower)), upper - lower, MADV_DONTNEED)
    }
}

extension [UInt8] {
    /// Calls the closure with the bytes. Typed errors do not pass through the array's own function on every platform
    /// that this has to build for.
    @inline(__always)
    package func withBytes<Result, Failure: Error>(
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
