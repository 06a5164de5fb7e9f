// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SystemCalls

/// Synchronizes files and directories with the disk.
struct DiskSynchronizer: Sendable {
    enum Step: Sendable, Hashable {
        /// The bytes of a file that is still being written.
        case data(String)
        /// A complete file.
        case file(String)
        /// The entries of a directory.
        case directory(String)

        fileprivate var path: String {
            switch self {
            case .data(let path), .file(let path), .directory(let path): path
            }
        }

        fileprivate var call: String { if case .data = self { "fdatasync" } else { "fsync" } }
    }

    /// Synchronizes an open descriptor. Returns 0 or an `errno` value.
    let perform: @Sendable (Step, Int32) -> Int32

    static let system = DiskSynchronizer { step, descriptor in
        let result = if case .data = step { fdatasync(descriptor) } else { fsync(descriptor) }
        return result == 0 ? 0 : errno
    }

    /// Throws an error if the disk is full or reports a failure. Other errors are ignored, because some files do not
    /// support synchronization.
    func sync(_ step: Step, _ descriptor: Int32) throws(DeviceError) {
        let number = perform(step, descriptor)
        guard number == EIO || number == ENOSPC || number == EDQUOT else { return }
        throw FileIO.writeError(step.path, call: step.call, errno: number)
    }

    func syncFolder(_ path: String) throws(DeviceError) {
        let descriptor = systemOpen(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        // A directory that is writable but not readable cannot be opened, so it is not synchronized.
        guard descriptor >= 0 else { return }
        defer { systemClose(descriptor) }
        try sync(.directory(path), descriptor)
    }
}

/// The policy for synchronizing recorded data with the disk, which determines how much data a power failure can
/// destroy.
///
/// If only the process is killed, no policy loses more than half a second of data, because the kernel still writes the
/// rest.
package enum RingSyncPolicy: String, Sendable, CaseIterable {
    /// Synchronizes every second. A power failure destroys about the last two seconds. This policy causes the most
    /// writes to flash memory.
    case eachSecond = "each-second"
    /// Synchronizes each segment when it is complete. A segment is about one eighth of the ring. A power failure
    /// destroys up to one segment.
    case segment
    /// Never synchronizes explicitly. The kernel writes the data, usually after about 30 s.
    case never
}
