// SPDX-License-Identifier: Apache-2.0

import SystemCalls
package import DeviceCore

/// The reason a node cannot be opened. The error message is created on demand.
package struct NodeFailure: Error {
    /// True if a retry may succeed, for example if another program has the node open or the user does not yet have
    /// permission.
    package let isTemporary: Bool
    private let describe: @Sendable () -> DeviceError

    // These initializers have many call sites and are not time-critical, so they are not inlined.

    package init(isTemporary: Bool, describe: @escaping @Sendable () -> DeviceError) {
        self.isTemporary = isTemporary
        self.describe = describe
    }

    @inline(never) init(
        _ code: DeviceError.Code, _ message: String, cause: DeviceError.Cause? = nil, isTemporary: Bool = false
    ) { self.init(isTemporary: isTemporary) { DeviceError(code, message, cause: cause) } }

    @inline(never) package init(opening path: String, call: String = "open", errno number: Int32) {
        let isTemporary =
            number == EBUSY || number == EWOULDBLOCK || number == EACCES || number == EPERM || number == EROFS
        self.init(isTemporary: isTemporary) { Self.error(path, call: call, errno: number) }
    }

    @inline(never) init(busy path: String) {
        self.init(isTemporary: true) { DeviceError(.busy, Self.busyMessage(path)) }
    }

    /// The error and its message. Creating the message may take tens of milliseconds.
    package var deviceError: DeviceError { describe() }

    private static func error(_ path: String, call: String, errno number: Int32) -> DeviceError {
        let (code, message): (DeviceError.Code, String) =
            switch number {
            case ENOENT, ENOTDIR: (.notFound, "\(path) does not exist. The accessory may have been unplugged.")
            case ENXIO, ENODEV: (.notFound, "Nothing is attached to \(path).")
            case EACCES, EPERM, EROFS: (.permissionDenied, permissionMessage(path))
            case EBUSY, EWOULDBLOCK: (.busy, busyMessage(path))
            case EMFILE, ENFILE:
                (.busy, "No file descriptor is left for \(path). Raise the limit of open files (ulimit -n).")
            case EISDIR, ENOTTY, ENOTSOCK, EPROTOTYPE:
                (.invalidConfiguration, "\(path) is not of the configured kind. Check the configuration.")
            case ECONNREFUSED: (.unreachable, "No program listens on \(path). Start its server.")
            default: (.inputOutput, "\(path) cannot be opened. Unplug the accessory and plug it in again.")
            }
        return DeviceError(code, message, cause: .system(call: call, errno: number))
    }

    /// Returns a message that names the program using the node, or "a program of another user" if that program is not
    /// visible.
    private static func busyMessage(_ path: String) -> String {
        // The failed attempt's descriptor is already closed, so this process does not find itself.
        let holder = NodeHolder.find(path)?.description ?? "a program of another user"
        return "\(path) is in use by \(holder). Close it there first."
    }

    private static func permissionMessage(_ path: String) -> String {
        var status = stat()
        guard stat(path, &status) == 0 else {
            return "This user may not access \(path). Check the permissions of its parent directories."
        }
        let mode = status.st_mode & 0o7777
        let digits = String(mode, radix: 8)
        let owner = user(status.st_uid)
        let group = group(status.st_gid)
        let advice =
            if mode & 0o060 == 0o060, status.st_gid != 0 {
                "Add the user to the group (usermod -a -G \(group) USER) and log in again, or add a udev rule that gives "
                    + "the user access to the node."
            } else { "Add a udev rule that gives a group of the user access: MODE=\"0660\", GROUP=\"dialout\"." }
        return "This user may not open \(path) (mode \(String(repeating: "0", count: max(0, 4 - digits.count)))"
            + "\(digits), owner \(owner), group \(group)). \(advice)"
    }

    private static func user(_ id: uid_t) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { buffer in
            var entry = passwd()
            var result: UnsafeMutablePointer<passwd>?
            guard let start = buffer.baseAddress, getpwuid_r(id, &entry, start, buffer.count, &result) == 0,
                result != nil, let name = entry.pw_name
            else { return "\(id)" }
            return String(cString: name)
        }
    }

    private static func group(_ id: gid_t) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16_384) { buffer in
            var entry = GroupEntry()
            var result: UnsafeMutablePointer<GroupEntry>?
            guard let start = buffer.baseAddress, getgrgid_r(id, &entry, start, buffer.count, &result) == 0,
                result != nil, let name = entry.gr_name
            else { return "\(id)" }
            return String(cString: name)
        }
    }
}

/// An alias for the C structure `group`, because inside `NodeFailure`, that name refers to the method `group(_:)`.
private typealias GroupEntry = group
