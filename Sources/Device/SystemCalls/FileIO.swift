// SPDX-License-Identifier: Apache-2.0

/// Reads and writes whole files without Foundation.
package enum FileIO {
    /// Reads a file of at most `limit` bytes. The message of a thrown error explains how to resolve the problem.
    package static func read(_ path: String, limit: Int) throws(DeviceError) -> [UInt8] {
        var status = stat()
        return try read(path, limit: limit, status: &status)
    }

    /// Like `read(_:limit:)`, but also returns the opened file's status in `status`.
    package static func read(_ path: String, limit: Int, status: inout stat) throws(DeviceError) -> [UInt8] {
        // Opens without blocking, because the path may be a FIFO that no process has opened for writing.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw readError(path, call: "open", errno: errno) }
        defer { close(descriptor) }
        let hasStatus = fstat(descriptor, &status) == 0
        let isPipe = hasStatus && status.st_mode & S_IFMT == S_IFIFO
        var number: Int32 = 0
        var isAtEnd = false
        /// Returns 0 at the end of the file or after an error.
        func readMore(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
            while !isAtEnd, number == 0 {
                let count = systemRead(descriptor, buffer)
                if count > 0 { return count }
                if count == 0 {
                    isAtEnd = true
                } else if isPipe, errno == EAGAIN {
                    // Waits up to 10 s for the writer of a FIFO to send the next bytes.
                    var pipe = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                    if poll(&pipe, 1, 10_000) == 0 { number = ETIMEDOUT }
                } else if errno != EINTR {
                    number = errno
                }
            }
            return 0
        }
        let size = hasStatus ? max(0, min(Int(clamping: status.st_size), limit)) : 0
        // Reads directly into the array. The array has room for one byte more than the file, so that the loop can
        // detect the end of the file.
        var bytes = [UInt8](unsafeUninitializedCapacity: size + 1) { buffer, filled in
            let space = UnsafeMutableRawBufferPointer(buffer)
            while size > 0, filled < space.count, !isAtEnd, number == 0 {
                filled += readMore(UnsafeMutableRawBufferPointer(rebasing: space[filled...]))
            }
        }
        withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
            while !isAtEnd, number == 0, bytes.count <= limit {
                bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: buffer[..<readMore(buffer)]))
            }
        }
        guard number == 0 else { throw readError(path, call: "read", errno: number) }
        guard bytes.count <= limit else {
            throw DeviceError(
                .inputOutput, "\(TerminalSanitizer.sanitized(path)) is larger than the limit of \(limit) bytes.")
        }
        return bytes
    }

    package static func readError(_ path: String, call: String, errno number: Int32) -> DeviceError {
        let path = TerminalSanitizer.sanitized(path)
        let (code, message): (DeviceError.Code, String) =
            switch number {
            case ENOENT, ENOTDIR: (.notFound, "There is no file \(path). Check the path.")
            case EACCES, EPERM:
                (
                    .permissionDenied,
                    "This user may not read \(path). Change its permissions or run as a user with access."
                )
            case EISDIR: (.inputOutput, "\(path) is a directory, but a file is needed.")
            default: (.inputOutput, "\(path) cannot be read.")
            }
        return DeviceError(code, message, cause: .system(call: call, errno: number))
    }
}

/// Iterates over the names in a directory, in no particular order. The caller must limit the number of names.
package struct DirectoryEntries: ~Copyable {
    private let stream: OpaquePointer
    /// The error number that ended the iteration, or 0 if all names were returned.
    package private(set) var failure: Int32 = 0

    /// Opens a directory. Returns nil on failure, with the reason in `errno`.
    package init?(_ path: String) {
        guard let stream = opendir(path) else { return nil }
        self.stream = stream
    }

    deinit { closedir(stream) }

    package var descriptor: Int32 { dirfd(stream) }

    /// Returns the next name, skipping "." and "..". Returns nil at the end of the directory and on failure.
    package mutating func next() -> String? {
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                failure = errno
                return nil
            }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: pointer.pointee)) {
                    String(cString: $0)
                }
            }
            if name != ".", name != ".." { return name }
        }
    }

    /// Returns up to `limit` names, sorted. Returns nil if the directory cannot be opened, with the reason in `errno`.
    package static func names(_ path: String, limit: Int) -> [String]? {
        guard var entries = DirectoryEntries(path) else { return nil }
        var names: [String] = []
        while names.count < limit, let name = entries.next() { names.append(name) }
        return names.sorted()
    }
}

package enum TemporaryFiles {
    /// The template suffix that mkdtemp(3) and mkstemp(3) replace with unique characters.
    private static let templateSuffix = "XXXXXX"

    /// Returns the directory that `TMPDIR` specifies, or `other` if the variable is unset or empty.
    package static func directory(default other: String) -> String {
        let named = getenv("TMPDIR").map { String(cString: $0) } ?? ""
        return named.isEmpty ? other : named
    }

    /// Creates a directory that only its owner can access, and returns the path. Returns nil on failure, with the
    /// reason in `errno`.
    package static func createDirectory(prefix: String, in parent: String) -> String? {
        make(prefix, in: parent) { mkdtemp($0) != nil }
    }

    /// Returns the descriptor of a new unnamed file. Returns nil on failure, with the reason in `errno`.
    package static func createUnlinkedFile(prefix: String, in parent: String) -> Int32? {
        var descriptor: Int32 = -1
        let name = make(prefix, in: parent) { name in
            descriptor = mkstemp(name)
            return descriptor >= 0
        }
        guard let name else { return nil }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        unlink(name)
        return descriptor
    }

    /// Returns true if the name has the form that `createDirectory` gives to directories with this prefix.
    package static func isDirectoryName(_ name: String, prefix: String) -> Bool {
        name.hasPrefix(prefix) && name.utf8.count == prefix.utf8.count + templateSuffix.utf8.count
    }

    private static func make(
        _ prefix: String, in parent: String, _ call: (UnsafeMutablePointer<CChar>) -> Bool
    ) -> String? {
        var name = Array("\(parent)/\(prefix)\(templateSuffix)".utf8CString)
        let isCreated = name.withUnsafeMutableBufferPointer { buffer in buffer.baseAddress.map(call) ?? false }
        guard isCreated else { return nil }
        return String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
