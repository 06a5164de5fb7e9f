// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import SystemCalls

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

    private init(_ status: stat) {
        inode = UInt64(status.st_ino)
        device = UInt64(status.st_dev)
        size = Int64(status.st_size)
        mode = UInt32(status.st_mode)
        modified = Time(status.st_mtim)
        changed = Time(status.st_ctim)
    }

    /// True for two seconds after the file was changed, by the clock that stamps files.
    var isFresh: Bool { Int64(Self.now.tv_sec) - max(changed.seconds, modified.seconds) <= 2 }

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
