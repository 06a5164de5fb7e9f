// SPDX-License-Identifier: Apache-2.0

import SystemCalls
package import DeviceCore

/// A file descriptor to which a trace is written.
package struct TraceOutput: TraceDestination {
    package let descriptor: Int32
    package let name: String
    /// True if ``close()`` and ``abandon()`` close the descriptor. Releasing the output never closes it.
    package let isOwned: Bool
    /// True if this output holds the lock that prevents other recorders from writing to the file.
    private let isLocked: Bool
    /// The replacement that ``close()`` completes, or nil if the bytes are written directly.
    private let replacement: AtomicReplacement?
    /// A closure that is called ten times a second while a write waits for the pipe's reader. If it returns false, the
    /// write fails.
    private let shouldKeepWaiting: (@Sendable () -> Bool)?
    /// True if the output is a terminal, to which control characters in the recording must not be written.
    private let isTerminal: Bool

    private init(
        descriptor: Int32, name: String, isOwned: Bool, isLocked: Bool = false, replacement: AtomicReplacement?,
        shouldKeepWaiting: (@Sendable () -> Bool)?
    ) {
        (self.descriptor, self.name, self.isOwned, self.isLocked) = (descriptor, name, isOwned, isLocked)
        (self.replacement, self.shouldKeepWaiting) = (replacement, shouldKeepWaiting)
        isTerminal = isatty(descriptor) == 1
    }
}

extension TraceOutput {
    package init(descriptor: Int32, name: String, isOwned: Bool) {
        self.init(descriptor: descriptor, name: name, isOwned: isOwned, replacement: nil, shouldKeepWaiting: nil)
    }

    /// Creates an output for an open pipe. The output does not close the pipe. If `shouldKeepWaiting` returns false,
    /// the write fails with `EPIPE`.
    package init(pipe descriptor: Int32, name: String, shouldKeepWaiting: @escaping @Sendable () -> Bool) {
        self.init(
            descriptor: descriptor, name: name, isOwned: false, replacement: nil, shouldKeepWaiting: shouldKeepWaiting)
    }

    /// Creates a file, or writes to standard output if the path is "-". Throws an error if another recorder is writing
    /// to the file. By default, a new file is private and an existing file keeps its mode.
    package init(path: String, overwrite: Bool, mode: UInt32? = nil) throws(DeviceError) {
        if path == "-" {
            self.init(descriptor: STDOUT_FILENO, name: "standard output", isOwned: false)
            return
        }
        var (descriptor, isLockedByOpener) = (ExclusiveFile.open(path), false)
        if descriptor < 0, errno == EEXIST, overwrite { (descriptor, isLockedByOpener) = try Self.openExisting(path) }
        guard descriptor >= 0 else { throw Self.failure(path, call: "open", errno: errno) }
        var status = stat()
        let isFile = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        // Locks a file that `openExisting` has not locked. If the descriptor already holds the lock, locking has no
        // effect.
        if isFile { try Self.lock(descriptor, path) }
        if let mode, isFile { _ = fchmod(descriptor, mode) }
        self.init(
            descriptor: descriptor, name: path, isOwned: true, isLocked: isFile && !isLockedByOpener, replacement: nil,
            shouldKeepWaiting: nil)
    }

    /// Opens an existing file and truncates it. On failure, returns a negative descriptor, with the reason in `errno`.
    /// `isLockedByOpener` is true if the path refers to a locked descriptor of this process, such as /dev/stdout or
    /// /proc/self/fd/3. The returned duplicate shares that lock, so ``close()`` must not release it.
    private static func openExisting(_ path: String) throws(DeviceError) -> (descriptor: Int32, isLockedByOpener: Bool)
    {
        guard let destination = ResolvedDestination.resolve(path) else { return (-1, false) }
        guard let status = destination.status else {
            return (ExclusiveFile.open(destination.name, in: destination.folder), false)
        }
        let descriptor = destination.open()
        // For a link in /proc, `status` describes the link itself, so the function returns without truncating the
        // linked file. Therefore, output that a shell redirects with `>>` is still appended.
        guard descriptor >= 0, status.isFile else {
            return (descriptor, descriptor >= 0 && destination.duplicatesOwnDescriptor && isLocked(descriptor))
        }
        // The file is locked before it is truncated, because another recorder may be writing to it.
        try lock(descriptor, path)
        guard status.linkCount > 1 else {
            _ = ftruncate(descriptor, 0)
            return (descriptor, false)
        }
        // Other hard links to the file must keep the old contents, so this link is replaced with a new file.
        systemUnlock(descriptor)
        systemClose(descriptor)
        guard unlinkat(destination.folder, destination.name, 0) == 0 else { return (-1, false) }
        let new = ExclusiveFile.open(destination.name, in: destination.folder)
        if new >= 0 { _ = fchmod(new, status.mode) }
        return (new, false)
    }

    /// True if a regular file is locked, or if its lock cannot be tested. False for other kinds of files.
    private static func isLocked(_ descriptor: Int32) -> Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
        // A lock belongs to an open file description and can be tested only through another one, so the file is opened
        // again. A recorder that tries to lock the file during this test fails with `busy`.
        let probe = systemOpen("/proc/self/fd/\(descriptor)", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard probe >= 0 else { return true }
        defer { systemClose(probe) }
        guard flock(probe, LOCK_EX | LOCK_NB) == 0 else { return true }
        systemUnlock(probe)
        return false
    }

    /// Locks the file. If another recorder holds the lock, closes the descriptor and throws an error. Does nothing if
    /// the file system does not support locks.
    private static func lock(_ descriptor: Int32, _ path: String) throws(DeviceError) {
        guard flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK else { return }
        systemClose(descriptor)
        throw DeviceError(.busy, "Another program is writing \(path). Stop it first, or choose another name.")
    }

    /// Creates or atomically replaces a file, or writes to standard output if the path is "-". An existing file stays
    /// unchanged until ``close()``. Pipes, devices and files in a directory without write permission are written
    /// directly.
    package init(whole path: String, overwrite: Bool, mode: UInt32? = nil) throws(DeviceError) {
        guard path != "-", var replacement = AtomicReplacement(path, overwrite: overwrite, mode: mode) else {
            try self.init(path: path, overwrite: overwrite, mode: mode)
            return
        }
        switch replacement.open() {
        case .success(let descriptor):
            self.init(
                descriptor: descriptor, name: path, isOwned: true, replacement: replacement, shouldKeepWaiting: nil)
        case .failure(let failure):
            guard failure.isDirectoryError else {
                throw Self.failure(path, call: "open", errno: failure.number, isWhole: true)
            }
            try self.init(path: path, overwrite: overwrite, mode: mode)
        }
    }

    /// Creates a new file that receives its final name only when it is complete. `name` returns an unused path, and is
    /// called again if another file has been created there in the meantime. `temporary` is the name of the incomplete
    /// file if the file system does not support unnamed files.
    package init(named name: @escaping @Sendable () -> String, temporary: String, mode: UInt32?) throws(DeviceError) {
        var replacement = AtomicReplacement(named: name, temporary: temporary, mode: mode)
        switch replacement.open() {
        case .success(let descriptor):
            self.init(
                descriptor: descriptor, name: temporary, isOwned: true, replacement: replacement, shouldKeepWaiting: nil
            )
        case .failure(let failure):
            throw Self.failure(temporary, call: "open", errno: failure.number, isWhole: true)
        }
    }

    package func write(_ bytes: [UInt8]) throws(DeviceError) {
        try bytes.withBytes { bytes throws(DeviceError) in try write(bytes) }
    }

    package func write(_ bytes: UnsafeRawBufferPointer) throws(DeviceError) {
        guard isTerminal else { return try writeAll(bytes) }
        let text = Array(TerminalSanitizer.sanitizedLines(String(decoding: bytes, as: UTF8.self)).utf8)
        try text.withBytes { bytes throws(DeviceError) in try writeAll(bytes) }
    }

    private func writeAll(_ bytes: UnsafeRawBufferPointer) throws(DeviceError) {
        let number: Int32?
        if let shouldKeepWaiting {
            number = FileIO.writeAll(bytes, to: descriptor, while: shouldKeepWaiting)
        } else {
            number = FileIO.writeAll(bytes) { rest in
                let count = systemWrite(descriptor, rest)
                if count < 0, errno == EAGAIN {
                    // Waits up to 1 s until the nonblocking descriptor is writable. `writeAll` retries the write if
                    // `errno` is EINTR.
                    var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    _ = poll(&wait, 1, 1000)
                    errno = EINTR
                }
                return count
            }
        }
        if let number { throw Self.failure(name, call: "write", errno: number, isWhole: replacement != nil) }
    }

    /// Flushes an owned file to disk and closes it.
    package func close() throws(DeviceError) {
        guard isOwned else { return }
        var failed: (call: String, errno: Int32)?
        // Only disk errors are reported, because `fsync` fails with other errors for pipes and devices.
        if fsync(descriptor) != 0, errno == EIO || errno == ENOSPC || errno == EDQUOT { failed = ("fsync", errno) }
        if failed == nil, let replacement { failed = replacement.finish(descriptor) }
        if failed != nil { replacement?.remove() }
        if isLocked { systemUnlock(descriptor) }
        // On Linux, the descriptor is closed even if `close` fails with EINTR.
        if closeDescriptor(descriptor) != 0, errno != EINTR, failed == nil { failed = ("close", errno) }
        if let failed {
            throw Self.failure(name, call: failed.call, errno: failed.errno, isWhole: replacement != nil)
        }
    }

    /// Closes an owned file. An incomplete replacement is deleted, and any other file is kept.
    package func abandon() {
        guard let replacement else {
            try? close()
            return
        }
        replacement.remove()
        systemClose(descriptor)
    }

    private static func failure(
        _ name: String, call: String, errno number: Int32, isWhole: Bool = false
    ) -> DeviceError {
        let code: DeviceError.Code =
            switch number {
            case ENOENT, ENOTDIR: .notFound
            case EACCES, EPERM, EROFS, ELOOP, EISDIR: .permissionDenied
            default: .inputOutput
            }
        let message =
            switch number {
            case EEXIST: "\(name) already exists. Choose another name, or allow overwriting."
            case ENOENT, ENOTDIR: "The directory of \(name) does not exist. Create it, or check the path."
            case EACCES, EPERM, EROFS:
                "This user may not write \(name). Choose another directory, or change its permissions."
            case ELOOP:
                "\(name) is a link that another user created, or part of a loop of links, and is not followed. Choose another name."
            case EISDIR: "\(name) is a directory, but a file is needed."
            case ENOSPC where isWhole, EDQUOT where isWhole:
                "There is no space left for \(name), which was not written. Free some space and try again."
            case ENOSPC, EDQUOT:
                "There is no space left for \(name). Free some space and start again; the part that was written is readable."
            case EFBIG where isWhole: "\(name) exceeds the maximum file size and was not written. Write smaller files."
            case EFBIG: "\(name) has reached the maximum file size. Start another file."
            case EPIPE: "The reader of the trace on \(name) closed it, so recording has stopped."
            default: isWhole ? "\(name) cannot be written." : "The trace \(name) cannot be written."
            }
        return DeviceError(code, message, cause: .system(call: call, errno: number))
    }
}

/// Calls the C function, which is shadowed by the method `close()`.
private func closeDescriptor(_ descriptor: Int32) -> Int32 { close(descriptor) }

/// A destination for a ``TraceWriter``. The writer's lock prevents overlapping calls. The first write contains the
/// header, and subsequent writes contain whole lines.
package protocol TraceDestination: Sendable {
    var name: String { get }

    /// Writes all bytes. Not called again after an error.
    func write(_ bytes: UnsafeRawBufferPointer) throws(DeviceError)

    /// Flushes the written bytes to permanent storage and closes the destination.
    func close() throws(DeviceError)

    /// Closes the destination after a failure, or when the writer is released without having been closed.
    func abandon()
}

extension TraceDestination {
    package func abandon() { try? close() }
}
