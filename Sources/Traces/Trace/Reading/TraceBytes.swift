// SPDX-License-Identifier: Apache-2.0

import SystemCalls
public import DeviceCore

/// The bytes of a recording: in memory, or in a large file that the system brings into memory as it is read.
///
/// Files of more than 64 MiB are mapped: readers give the memory behind them back, so that a recording of any length
/// needs little. Where others cut such a file off while it is read, the rest reads as zeros, and readers say so;
/// writing more to its end does no harm.
public struct TraceBytes: Sendable {
    private enum Storage: Sendable {
        case memory([UInt8])
        case file(MappedFile)
        case made(MadeBytes)
    }

    /// Files up to this size are read into memory.
    static let largestInMemory = 64 << 20

    private let storage: Storage

    /// Bytes in memory.
    public init(_ bytes: [UInt8]) { storage = .memory(bytes) }

    init(_ file: MappedFile) { storage = .file(file) }

    init(_ made: MadeBytes) { storage = .made(made) }

    /// The bytes of a file. What is no plain file, such as a pipe, is waited for and read to its end, up to
    /// ``TraceFile/maximumSize``; what of that is too much for memory lies in a file without a name in `$TMPDIR`.
    ///
    /// - Throws: an error that says what to do.
    public init(path: String) throws(DeviceError) { try self.init(path: path, largestInMemory: Self.largestInMemory) }

    init(path: String, largestInMemory: Int) throws(DeviceError) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG, status.st_mode & S_IFMT != S_IFDIR else {
            try self.init(file: path, largestInMemory: largestInMemory)
            return
        }
        // A pipe that nobody writes yet is waited for. One that is open here may have had its writer.
        let own = Self.ownDescriptor(path)
        let descriptor = own.map { fcntl($0, F_DUPFD_CLOEXEC, 0) } ?? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw FileBytes.failedToRead(path, call: "open", errno: errno) }
        defer { close(descriptor) }
        try self.init(stream: descriptor, name: path)
    }

    /// The number of a descriptor of this process that a path stands for, as /dev/stdin does.
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
        guard descriptor >= 0 else { throw FileBytes.failedToRead(path, call: "open", errno: errno) }
        defer { close(descriptor) }
        guard Int.bitWidth > 32, fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            Int(clamping: status.st_size) > largestInMemory
        else {
            // It may be longer than it says, as those of /proc are.
            try self.init(stream: descriptor, name: path, largestInMemory: largestInMemory)
            return
        }
        guard let file = MappedFile(descriptor: descriptor, count: Int(clamping: status.st_size)) else {
            throw FileBytes.failedToRead(path, call: "mmap", errno: errno)
        }
        self.init(file)
    }

    /// The file behind them; nil for those in memory.
    var file: MappedFile? { if case .file(let file) = storage { file } else { nil } }

    /// True when bytes were asked for that the file has no more: it became shorter meanwhile.
    package var isCutOff: Bool { file?.isCutOff == true }

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
        case .made(let made): return try made.bytes.withBytes(body)
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
        case .made(let made): made.bytes.count
        }
    }

    /// The byte at that place.
    public subscript(position: Int) -> UInt8 {
        switch storage {
        case .memory(let bytes): bytes[position]
        case .file(let file): file.bytes[position]
        case .made(let made): made.bytes[position]
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
        case .made(let made): try made.bytes.withUnsafeBufferPointer(body)
        }
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
