// SPDX-License-Identifier: Apache-2.0

import Synchronization
import SystemCalls

/// An advisory lock on a device's sysfs directory. It is needed because libiio disables another program's buffer before
/// it detects that the device is busy. The device node cannot be locked, because the kernel allows only one open
/// descriptor.
final class DeviceLock: IIOLease {
    private let descriptor: Mutex<Int32>

    init(folder: String) throws(IIOFailure) {
        let opened = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else { throw IIOFailure("open", errno) }
        guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
            let number = errno
            close(opened)
            guard number == EWOULDBLOCK else { throw IIOFailure("flock", number) }
            throw IIOFailure("flock", EBUSY, holder: Self.holder(of: folder) ?? "another program of this package")
        }
        descriptor = Mutex(opened)
    }

    deinit { release() }

    /// Returns the program that holds the lock, for example "sensorctl (process 1234)".
    private static func holder(of folder: String) -> String? {
        var status = stat()
        guard stat(folder, &status) == 0, let locks = try? FileIO.read("/proc/locks", limit: 1 << 20) else {
            return nil
        }
        let device = (major: status.st_dev >> 8 & 0xfff, minor: status.st_dev & 0xff | status.st_dev >> 12 & 0xfff00)
        // A line has the form "1: FLOCK  ADVISORY  WRITE 1234 00:15:5678 0 EOF".
        for line in locks.split(separator: UInt8(ascii: "\n")) {
            let fields = String(decoding: line, as: UTF8.self).split(separator: " ")
            guard fields.count > 5, fields[1] == "FLOCK", let process = Int32(fields[4]), process > 0 else { continue }
            let fileID = fields[5].split(separator: ":")
            guard fileID.count == 3, Int(fileID[0], radix: 16) == Int(device.major),
                Int(fileID[1], radix: 16) == Int(device.minor), UInt64(fileID[2]) == UInt64(status.st_ino)
            else { continue }
            let name = SysfsDirectory.read("/proc/\(process)/comm") ?? "a program"
            return "\(name) (process \(process))"
        }
        return nil
    }

    func release() {
        descriptor.withLock { descriptor in
            guard descriptor >= 0 else { return }
            systemUnlock(descriptor)
            close(descriptor)
            descriptor = -1
        }
    }
}
