// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SystemCalls

/// The files in a directory that may declare accessories.
struct FolderListing {
    /// The paths of at most `limit` files, in ascending order.
    var paths: [String] = []
    /// The reason the list is incomplete or empty.
    var problem: DeviceError?
    /// False if the directory's contents are unknown, for example because no file descriptor is available.
    var isKnown = true
    var isTemporaryFailure = false
    private let prefix: String

    init(_ folder: String, limit: Int) {
        prefix = folder.hasSuffix("/") ? folder : folder + "/"
        guard var entries = DirectoryEntries(folder) else {
            fail(folder, call: "opendir", errno: errno)
            return
        }
        var names: [String] = []
        var isComplete = true
        while let name = entries.next() {
            guard name.hasSuffix(".json"), !name.hasPrefix(".") else { continue }
            names.append(name)
            // To limit memory use, keeps only the first `limit` names in ascending order. Sorting makes the result
            // independent of the order of the directory entries.
            if names.count >= 16 * limit {
                names.sort()
                names.removeLast(names.count - limit)
                isComplete = false
            }
        }
        guard entries.failure == 0 else {
            fail(folder, call: "readdir", errno: entries.failure)
            return
        }
        names.sort()
        if names.count > limit {
            names.removeLast(names.count - limit)
            isComplete = false
        }
        paths = names.map { prefix + $0 }
        guard !isComplete else { return }
        problem = DeviceError(
            .invalidConfiguration,
            "The directory \(TerminalSanitizer.sanitized(folder)) contains more than \(limit) files. The first ones by name are used."
        )
    }

    func contains(_ path: String) -> Bool { path.hasPrefix(prefix) && !path.dropFirst(prefix.count).contains("/") }

    private mutating func fail(_ folder: String, call: String, errno number: Int32) {
        let (code, message): (DeviceError.Code, String) =
            switch number {
            case ENOENT, ENOTDIR: (.notFound, "does not exist. Create it to declare accessories.")
            case EACCES, EPERM: (.permissionDenied, "may not be read by this user. Change its permissions.")
            default: (.inputOutput, "cannot be read. Its previous content remains in use. Retrying.")
            }
        isKnown = code == .notFound
        isTemporaryFailure = code == .inputOutput
        problem = DeviceError(
            code, "The directory of declared accessories \(TerminalSanitizer.sanitized(folder)) \(message)",
            cause: .system(call: call, errno: number))
    }
}

/// A file's identity and state. If two stamps are equal and the first was not fresh (see `isFresh(at:)`), the file did
/// not change in between.
struct FileStamp: Hashable {
    var inode: UInt64
    private var device: UInt64
    private var size: Int64
    private var mode: UInt32
    private var modified: Time
    /// The time of the last change to the file or its metadata. Programs can set `modified` to any value, but not this
    /// time.
    private var changed: Time

    private struct Time: Hashable {
        var seconds: Int64
        var nanoseconds: Int64

        init(_ time: timespec) {
            seconds = Int64(time.tv_sec)
            nanoseconds = Int64(time.tv_nsec)
        }
    }

    enum Status {
        case none
        case file(FileStamp)
        case unknown(errno: Int32)
    }

    static func status(of path: String) -> Status {
        var status = stat()
        guard stat(path, &status) == 0 else {
            let number = errno
            return number == ENOENT || number == ENOTDIR ? .none : .unknown(errno: number)
        }
        return status.st_mode & S_IFMT == S_IFREG ? .file(FileStamp(status)) : .none
    }

    init(_ status: stat) {
        inode = UInt64(status.st_ino)
        device = UInt64(status.st_dev)
        size = Int64(status.st_size)
        mode = UInt32(status.st_mode)
        modified = Time(status.st_mtim)
        changed = Time(status.st_ctim)
    }

    /// Returns true if the file was last changed at most 2 s ago. `now` must come from the clock used for file system
    /// timestamps.
    func isFresh(at now: timespec) -> Bool { Int64(now.tv_sec) - max(changed.seconds, modified.seconds) <= 2 }

    /// Returns the time since the last change, in seconds, or 0 if the timestamp is in the future. `now` must come from
    /// the clock used for file system timestamps.
    func age(at now: timespec = Self.now) -> Double {
        let ages = [changed, modified].map { time in
            (Double(now.tv_sec) - Double(time.seconds)) + Double(Int64(now.tv_nsec) - time.nanoseconds) * 1e-9
        }
        return max(0, ages.min() ?? 0)
    }

    /// The current time of the clock used for file system timestamps.
    static var now: timespec {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return now
    }
}
