// SPDX-License-Identifier: Apache-2.0

import SystemCalls
package import DeviceCore

/// A file descriptor that a trace is written to.
package struct TraceOutput: TraceDestination {
    package let descriptor: Int32
    /// What to call it in messages.
    package let name: String
    /// False for a descriptor that belongs to somebody else.
    package let isOwned: Bool
    /// True for a file that other recorders are kept away from by a lock of ours.
    private let isLocked: Bool
    /// The file that is there as a whole or not at all; nil for one that keeps what was written.
    private let replacement: TraceReplacement?
    /// Asked ten times a second while nobody takes what is written; false gives up. Nil to wait for ever.
    private let isPatient: (@Sendable () -> Bool)?

    /// True for a terminal, which must not be controlled by what was recorded.
    private let isTerminal: Bool

    private init(
        descriptor: Int32, name: String, isOwned: Bool, isLocked: Bool = false, replacement: TraceReplacement?,
        isPatient: (@Sendable () -> Bool)?
    ) {
        (self.descriptor, self.name, self.isOwned, self.isLocked) = (descriptor, name, isOwned, isLocked)
        (self.replacement, self.isPatient) = (replacement, isPatient)
        isTerminal = isatty(descriptor) == 1
    }
}

extension TraceOutput {
    /// A descriptor that is open already.
    package init(descriptor: Int32, name: String, isOwned: Bool) {
        self.init(descriptor: descriptor, name: name, isOwned: isOwned, replacement: nil, isPatient: nil)
    }

    /// A pipe that is open already and belongs to somebody else.
    ///
    /// - Parameter isPatient: asked ten times a second while nobody reads; false makes the write fail as one does that has
    ///   no reader any more.
    package init(pipe descriptor: Int32, name: String, isPatient: @escaping @Sendable () -> Bool) {
        self.init(descriptor: descriptor, name: name, isOwned: false, replacement: nil, isPatient: isPatient)
    }

    /// Makes a file; "-" is standard output. One that another recorder writes to is not touched.
    ///
    /// - Parameter mode: its permissions; nil for ``SystemCalls/NewFile/privateMode``, or those of the former file.
    package init(path: String, overwrite: Bool, mode: UInt32? = nil) throws(DeviceError) {
        if path == "-" {
            self.init(descriptor: STDOUT_FILENO, name: "standard output", isOwned: false)
            return
        }
        var (descriptor, isHeld) = (NewFile.open(path), false)
        if descriptor < 0, errno == EEXIST, overwrite { (descriptor, isHeld) = try Self.openFormer(path) }
        guard descriptor >= 0 else { throw Self.failure(path, call: "open", errno: errno) }
        var status = stat()
        let isFile = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        if isFile { try Self.lock(descriptor, path) }
        if let mode, isFile { _ = fchmod(descriptor, mode) }
        self.init(
            descriptor: descriptor, name: path, isOwned: true, isLocked: isFile && !isHeld, replacement: nil,
            isPatient: nil)
    }

    /// Opens what is to be written over, and empties it; below zero with the reason in errno.
    ///
    /// Held is what was open here already with the lock of who opened it, which stays theirs.
    private static func openFormer(_ path: String) throws(DeviceError) -> (descriptor: Int32, isHeld: Bool) {
        guard let place = WritePlace.find(path) else { return (-1, false) }
        guard let status = place.status else { return (NewFile.open(place.name, in: place.folder), false) }
        let descriptor = place.open()
        let isHeld = descriptor >= 0 && place.isShared && isLocked(descriptor)
        guard descriptor >= 0, status.isFile else { return (descriptor, isHeld) }
        try lock(descriptor, path)
        guard status.names > 1 else {
            _ = ftruncate(descriptor, 0)
            return (descriptor, false)
        }
        // It has another name, perhaps somewhere else: what is there stays.
        systemUnlock(descriptor)
        systemClose(descriptor)
        guard unlinkat(place.folder, place.name, 0) == 0 else { return (-1, false) }
        let new = NewFile.open(place.name, in: place.folder)
        if new >= 0 { _ = fchmod(new, status.mode) }
        return (new, false)
    }

    /// True when somebody has the lock of the file, or when that cannot be found out; false for what is no file.
    private static func isLocked(_ descriptor: Int32) -> Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
        // Opened anew: a lock is of an opening.
        let probe = systemOpen("/proc/self/fd/\(descriptor)", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard probe >= 0 else { return true }
        defer { systemClose(probe) }
        guard flock(probe, LOCK_EX | LOCK_NB) == 0 else { return true }
        systemUnlock(probe)
        return false
    }

    /// Keeps other recorders away, and throws where one has it. Some file systems know no locks.
    private static func lock(_ descriptor: Int32, _ path: String) throws(DeviceError) {
        guard flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK else { return }
        systemClose(descriptor)
        throw DeviceError(.busy, "Something else is writing \(path). End it first, or choose another name.")
    }

    /// Makes a file that is there as a whole or not at all; "-" is standard output. What is there already stays as it is
    /// until ``close()``, and altogether when that is not reached. Pipes and devices are written to at once, and so are
    /// files in a folder that may not be written.
    ///
    /// - Parameter mode: its permissions; nil for ``SystemCalls/NewFile/privateMode``, or those of the former file.
    package init(whole path: String, overwrite: Bool, mode: UInt32? = nil) throws(DeviceError) {
        guard path != "-", var replacement = TraceReplacement(path, overwrite: overwrite, mode: mode) else {
            try self.init(path: path, overwrite: overwrite, mode: mode)
            return
        }
        switch replacement.open() {
        case .success(let descriptor):
            self.init(descriptor: descriptor, name: path, isOwned: true, replacement: replacement, isPatient: nil)
        case .failure(let failure):
            guard failure.isOfFolder else {
                throw Self.failure(path, call: "open", errno: failure.number, isWhole: true)
            }
            try self.init(path: path, overwrite: overwrite, mode: mode)
        }
    }

    /// Makes a new file that is there as a whole or not at all, and gets its name when it is whole.
    ///
    /// - Parameters:
    ///   - name: a path that nothing has; asked again when something has it by then.
    ///   - temporary: what it is called meanwhile, where files need a name.
    package init(
        named name: @escaping @Sendable () -> String, temporary: String, mode: UInt32?
    ) throws(DeviceError) {
        var replacement = TraceReplacement(named: name, temporary: temporary, mode: mode)
        switch replacement.open() {
        case .success(let descriptor):
            self.init(descriptor: descriptor, name: temporary, isOwned: true, replacement: replacement, isPatient: nil)
        case .failure(let failure):
            throw Self.failure(temporary, call: "open", errno: failure.number, isWhole: true)
        }
    }

    /// Writes all of the bytes.
    package func write(_ bytes: [UInt8]) throws(DeviceError) {
        try bytes.withBytes { bytes throws(DeviceError) in try write(bytes) }
    }

    /// Writes all of the bytes, however often the system takes only some of them.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(DeviceError) {
        guard isTerminal else { return try writeAll(bytes) }
        let text = Array(ShownText.lines(String(decoding: bytes, as: UTF8.self)).utf8)
        try text.withBytes { bytes throws(DeviceError) in try writeAll(bytes) }
    }

    private func writeAll(_ bytes: UnsafeRawBufferPointer) throws(DeviceError) {
        var done = 0
        while done < bytes.count {
            var rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            if let isPatient {
                try waitForReader(isPatient)
                // A pipe that is said to be writable takes that much without blocking.
                rest = UnsafeRawBufferPointer(rebasing: rest.prefix(Int(PIPE_BUF)))
            }
            let count = systemWrite(descriptor, rest)
            if count > 0 {
                done += min(count, rest.count)
            } else if count < 0, errno == EAGAIN || errno == EWOULDBLOCK {
                // Somebody made a pipe that does not block: wait as a blocking one would.
                var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&wait, 1, 1000)
            } else if count == 0 || errno != EINTR {
                throw Self.failure(name, call: "write", errno: count == 0 ? EIO : errno, isWhole: replacement != nil)
            }
        }
    }

    private func waitForReader(_ isPatient: () -> Bool) throws(DeviceError) {
        var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        while true {
            let count = poll(&wait, 1, 100)
            // A signal ends the wait as well, and is no reader.
            if count > 0 || (count < 0 && errno != EINTR && errno != EAGAIN) { return }
            if !isPatient() { throw Self.failure(name, call: "write", errno: EPIPE) }
        }
    }

    /// Brings a file of our own to the disk and closes it.
    package func close() throws(DeviceError) {
        guard isOwned else { return }
        var failed: (call: String, errno: Int32)?
        // Pipes and devices have no disk to be brought to.
        if fsync(descriptor) != 0, errno == EIO || errno == ENOSPC || errno == EDQUOT { failed = ("fsync", errno) }
        if failed == nil, let replacement { failed = replacement.finish(descriptor) }
        if failed != nil { replacement?.remove() }
        if isLocked { systemUnlock(descriptor) }
        // Linux has closed the descriptor even when it reports EINTR.
        if system_close(descriptor) != 0, errno != EINTR, failed == nil { failed = ("close", errno) }
        if let failed {
            throw Self.failure(name, call: failed.call, errno: failed.errno, isWhole: replacement != nil)
        }
    }

    /// Closes a file of our own. One that was to be whole is removed, any other keeps what was written.
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
        var code = DeviceError.Code.inputOutput
        let message: String
        switch number {
        case EEXIST:
            message = "\(name) exists already. Choose another name, or allow it to be overwritten."
        case ENOENT, ENOTDIR:
            code = .notFound
            message = "There is no folder for \(name). Make it first, or check the path."
        case EACCES, EPERM, EROFS:
            code = .permissionDenied
            message = "\(name) may not be written by this user. Choose another folder, or change its mode."
        case ELOOP:
            code = .permissionDenied
            message =
                "\(name) is a link that another user has made, or that leads in a circle. It is not followed: choose another name."
        case EISDIR:
            code = .permissionDenied
            message = "\(name) is a folder, and a file is needed."
        case ENOSPC where isWhole, EDQUOT where isWhole:
            message = "There is no space left for \(name), which was not written. Free some and write it again."
        case ENOSPC, EDQUOT:
            message =
                "There is no space left for \(name). Free some and begin again; what was written before can be read."
        case EFBIG where isWhole:
            message = "\(name) would be larger than a file may be here, and was not written. Write less at once."
        case EFBIG:
            message = "\(name) has reached the largest size of a file here. Begin another one."
        case EPIPE:
            message = "Nobody reads the trace on \(name) any longer, so recording has stopped."
        default:
            message = isWhole ? "\(name) cannot be written." : "The trace \(name) cannot be written."
        }
        return DeviceError(code, message, cause: .system(call: call, errno: number))
    }
}

/// The C function, whose name the method hides.
private func system_close(_ descriptor: Int32) -> Int32 { close(descriptor) }

/// Where a ``TraceWriter`` puts its lines: the header by itself first, then whole lines.
package protocol TraceDestination: Sendable {
    /// What to call it in messages.
    var name: String { get }

    /// Writes all of the bytes. After an error nothing more is written.
    func write(_ bytes: UnsafeRawBufferPointer) throws(DeviceError)

    /// Brings what was written to the disk and ends it.
    func close() throws(DeviceError)

    /// Ends it where something has failed or nobody has closed it.
    func abandon()
}

extension TraceDestination {
    /// What was written before stays.
    package func abandon() { try? close() }
}
