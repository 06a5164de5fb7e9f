// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SystemCalls

/// The calls of inotify that the system may refuse, so that tests can put others in their place. Both give a negative
/// number then, and set errno.
struct Inotify: Sendable {
    var begin: @Sendable () -> Int32 = { inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC)) }
    var add: @Sendable (_ descriptor: Int32, _ path: String, _ events: UInt32) -> Int32 = { descriptor, path, events in
        inotify_add_watch(descriptor, path, events)
    }

    /// What a call has failed with, and what to do.
    static func problem(call: String, errno number: Int32) -> DeviceError {
        let reason: String
        let advice: String
        switch number {
        case ENOSPC:
            reason = "this user has no inotify watch left"
            advice = " Raise the limit: sysctl -w fs.inotify.max_user_watches=524288."
        case EMFILE where hasDescriptor:
            reason = "this user has no inotify instance left"
            advice = " Raise the limit: sysctl -w fs.inotify.max_user_instances=1024."
        case EMFILE, ENFILE:
            reason = "no file descriptor is left"
            advice = " Raise the limit of open files (ulimit -n)."
        default:
            reason = "the system does not allow it now"
            advice = ""
        }
        return DeviceError(
            .busy,
            "The folders of declared accessories cannot be watched, because \(reason). They are looked at every "
                + "\(Int(UdevSource.lookInterval)) seconds instead.\(advice)", cause: .system(call: call, errno: number)
        )
    }

    /// True unless this process may open nothing more: the limit of instances has the same number.
    private static var hasDescriptor: Bool {
        let descriptor = open("/", O_RDONLY | O_CLOEXEC | O_DIRECTORY)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        return true
    }
}
