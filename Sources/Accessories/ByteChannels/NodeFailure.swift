// SPDX-License-Identifier: Apache-2.0

import SystemCalls
package import DeviceCore

/// Why a node cannot be opened. It is put into words, which say what to do, only when somebody is to read them.
package struct NodeFailure: Error {
    /// True when it may pass within a moment: somebody else has the node, or this user may not open it yet.
    package let isPassing: Bool
    private let describe: @Sendable () -> DeviceError

    // Not copied to where it is called, these three: there are many such places, and none is in a hurry.

    package init(isPassing: Bool, describe: @escaping @Sendable () -> DeviceError) {
        self.isPassing = isPassing
        self.describe = describe
    }

    @inline(never)
    init(_ code: DeviceError.Code, _ message: String, cause: DeviceError.Cause? = nil, isPassing: Bool = false) {
        self.init(isPassing: isPassing) { DeviceError(code, message, cause: cause) }
    }

    /// What a call that opens or sets up a node has failed with.
    @inline(never)
    package init(opening path: String, call: String = "open", errno number: Int32) {
        let isPassing =
            number == EBUSY || number == EWOULDBLOCK || number == EACCES || number == EPERM || number == EROFS
        self.init(isPassing: isPassing) { Self.error(path, call: call, errno: number) }
    }

    /// Somebody else has it.
    @inline(never)
    init(busy path: String) {
        self.init(isPassing: true) { DeviceError(.busy, Self.busy(path)) }
    }

    /// In words. That may take some tens of milliseconds.
    package var described: DeviceError { describe() }

    private static func error(_ path: String, call: String, errno number: Int32) -> DeviceError {
        let (code, words): (DeviceError.Code, String) =
            switch number {
            case ENOENT, ENOTDIR: (.notFound, "There is no node \(path). The accessory may have been unplugged.")
            case ENXIO, ENODEV: (.notFound, "Nothing is attached to \(path).")
            case EACCES, EPERM, EROFS: (.permissionDenied, permission(path))
            case EBUSY, EWOULDBLOCK: (.busy, busy(path))
            case EMFILE, ENFILE:
                (.busy, "No file descriptor is left for \(path). Raise the limit of open files (ulimit -n).")
            case EISDIR, ENOTTY, ENOTSOCK, EPROTOTYPE:
                (
                    .invalidConfiguration,
                    "\(path) is not of the kind that it is said to be. Check the configuration."
                )
            case ECONNREFUSED: (.unreachable, "Nobody listens on \(path). Start the program that should.")
            default: (.inputOutput, "\(path) cannot be opened. Unplug the accessory and plug it in again.")
            }
        return DeviceError(code, words, cause: .system(call: call, errno: number))
    }

    /// Somebody else has it; who, as far as this user may see.
    private static func busy(_ path: String) -> String {
        // The attempt's own descriptor is closed by now.
        let holder = NodeHolder.find(path)?.text ?? "a program that this user may not see"
        return "\(path) is in use by \(holder). Close it there first."
    }

    private static func permission(_ path: String) -> String {
        var status = stat()
        guard stat(path, &status) == 0 else {
            return
                "\(path) may not be opened by this user, and not even be looked at. Check the folders that lead to it."
        }
        let mode = status.st_mode & 0o7777
        let digits = String(mode, radix: 8)
        let owner = user(status.st_uid)
        let group = group(status.st_gid)
        let advice =
            if mode & 0o060 == 0o060, status.st_gid != 0 {
                "Add the user to the group (usermod -a -G \(group) USER) and log in again, or add a udev rule that gives "
                    + "the node to the user."
            } else {
                "Add a udev rule that gives the node to a group of the user's: MODE=\"0660\", GROUP=\"dialout\"."
            }
        return
            "\(path) may not be opened by this user: its mode is \(String(repeating: "0", count: max(0, 4 - digits.count)))"
            + "\(digits), its owner \(owner), its group \(group). \(advice)"
    }

    private static func user(_ id: uid_t) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { buffer in
            var entry = passwd()
            var found: UnsafeMutablePointer<passwd>?
            guard let start = buffer.baseAddress,
                getpwuid_r(id, &entry, start, buffer.count, &found) == 0, found != nil,
                let name = entry.pw_name
            else { return "\(id)" }
            return String(cString: name)
        }
    }

    private static func group(_ id: gid_t) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16_384) { buffer in
            var entry = GroupEntry()
            var found: UnsafeMutablePointer<GroupEntry>?
            guard let start = buffer.baseAddress,
                getgrgid_r(id, &entry, start, buffer.count, &found) == 0, found != nil,
                let name = entry.gr_name
            else { return "\(id)" }
            return String(cString: name)
        }
    }
}

/// The C structure, whose name the method hides.
private typealias GroupEntry = group
