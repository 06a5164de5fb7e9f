// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SystemCalls

/// What brings files and the names in folders to the disk.
struct RingDisk: Sendable {
    /// What is brought, with its path.
    enum Step: Sendable, Hashable {
        /// The bytes of a file that goes on growing.
        case data(String)
        /// A whole file.
        case file(String)
        /// The names in a folder.
        case folder(String)

        fileprivate var path: String {
            switch self {
            case .data(let path), .file(let path), .folder(let path): path
            }
        }

        fileprivate var call: String { if case .data = self { "fdatasync" } else { "fsync" } }
    }

    /// Takes a step with a descriptor; the answer is 0, or the number of the error.
    let take: @Sendable (Step, Int32) -> Int32

    /// That of the machine.
    static let system = RingDisk { step, descriptor in
        let result = if case .data = step { fdatasync(descriptor) } else { fsync(descriptor) }
        return result == 0 ? 0 : errno
    }

    /// Brings it to the disk. The error says that the disk has not taken it; what has no disk is no failure.
    func sync(_ step: Step, _ descriptor: Int32) throws(DeviceError) {
        let number = take(step, descriptor)
        guard number == EIO || number == ENOSPC || number == EDQUOT else { return }
        throw FileBytes.failedToWrite(step.path, call: step.call, errno: number)
    }

    /// Brings the names in a folder to the disk.
    func syncFolder(_ path: String) throws(DeviceError) {
        let descriptor = systemOpen(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        // A folder that may be written and not read.
        guard descriptor >= 0 else { return }
        defer { systemClose(descriptor) }
        try sync(.folder(path), descriptor)
    }
}

/// When what was recorded is brought to the disk, and so how much a power failure takes.
///
/// A process that is killed loses at most half a second in any case: the system has the rest.
package enum RingSync: String, Sendable, CaseIterable {
    /// Each second: a power failure takes about two seconds. Flash memory is written most often.
    case eachSecond = "each-second"
    /// Each segment when it is full, an eighth of the ring: a power failure takes as much.
    case segment
    /// When the system pleases, mostly after half a minute.
    case never
}
