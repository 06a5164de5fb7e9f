// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SystemCalls

/// The files of a folder that may declare accessories.
struct FolderListing {
    /// The first ones by name.
    var paths: [String] = []
    /// Why they are not all of them.
    var problem: DeviceError?
    /// False when the machine could not tell what is there, as when no descriptor is left.
    var isKnown = true
    /// True when it may tell another time, though nobody changes anything.
    var isPassing = false
    private let prefix: String

    /// Looks at a folder.
    init(_ folder: String, limit: Int) {
        prefix = folder.hasSuffix("/") ? folder : folder + "/"
        guard var entries = FolderEntries(folder) else {
            fail(folder, call: "opendir", errno: errno)
            return
        }
        var names: [String] = []
        var isWhole = true
        while let name = entries.next() {
            guard name.hasSuffix(".json"), !name.hasPrefix(".") else { continue }
            names.append(name)
            // The memory for names has to have an end; the first ones are the same in whichever order they come.
            if names.count >= 16 * limit {
                names.sort()
                names.removeLast(names.count - limit)
                isWhole = false
            }
        }
        guard entries.failure == 0 else {
            fail(folder, call: "readdir", errno: entries.failure)
            return
        }
        names.sort()
        if names.count > limit {
            names.removeLast(names.count - limit)
            isWhole = false
        }
        paths = names.map { prefix + $0 }
        guard !isWhole else { return }
        problem = DeviceError(
            .invalidConfiguration,
            "The folder \(ShownText.cleaned(folder)) has more than \(limit) files. The first ones by name are used.")
    }

    /// True for what would be a file of the folder.
    func holds(_ path: String) -> Bool {
        path.hasPrefix(prefix) && !path.dropFirst(prefix.count).contains("/")
    }

    private mutating func fail(_ folder: String, call: String, errno number: Int32) {
        let (code, words): (DeviceError.Code, String) =
            switch number {
            case ENOENT, ENOTDIR: (.notFound, "does not exist yet. It is waited for.")
            case EACCES, EPERM: (.permissionDenied, "may not be read by this user. Change its mode.")
            default:
                (
                    .inputOutput,
                    "cannot be read now. What was found there before still counts, and it is looked at again."
                )
            }
        isKnown = code == .notFound
        isPassing = code == .inputOutput
        problem = DeviceError(
            code, "The folder of declared accessories \(ShownText.cleaned(folder)) \(words)",
            cause: .system(call: call, errno: number))
    }
}

/// Tells versions of a file apart.
struct FileStamp: Hashable {
    var inode: UInt64
    private var device: UInt64
    private var size: Int64
    private var mode: UInt32
    private var modified: Time
    /// When anything about the file changed, its mode included. Nobody can set it back.
    private var changed: Time

    private struct Time: Hashable {
        var seconds: Int64
        var nanoseconds: Int64

        init(_ time: timespec) {
            seconds = Int64(time.tv_sec)
            nanoseconds = Int64(time.tv_nsec)
        }
    }

    /// What a look at a path finds.
    enum Look {
        /// No regular file.
        case none
        case file(FileStamp)
        /// It could not be found out.
        case unknown(errno: Int32)
    }

    static func look(at path: String) -> Look {
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

    /// True for two seconds after the file was changed, by the clock that stamps files.
    func isFresh(at now: timespec) -> Bool { Int64(now.tv_sec) - max(changed.seconds, modified.seconds) <= 2 }

    /// For how many seconds the file has been as it is, by that clock; 0 where its time is yet to come.
    func age(at now: timespec = Self.now) -> Double {
        let ages = [changed, modified].map { time in
            (Double(now.tv_sec) - Double(time.seconds))
                + Double(Int64(now.tv_nsec) - time.nanoseconds) * 1e-9
        }
        return max(0, ages.min() ?? 0)
    }

    /// What the clock that stamps files says.
    static var now: timespec {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return now
    }
}
