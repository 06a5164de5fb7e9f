// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Tells when a program has opened one of a simulator's pseudo-terminals: their masters do not.
///
/// One for all of them, because a user may have few of these.
final class OpeningWatch: Sendable {
    /// Readable when that has happened; negative where inotify cannot be had.
    let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))

    deinit {
        if descriptor >= 0 { system_close(descriptor) }
    }

    /// Watches a terminal until it is gone; false when that cannot be.
    func add(_ path: String) -> Bool {
        descriptor >= 0 && inotify_add_watch(descriptor, path, UInt32(IN_OPEN)) >= 0
    }

    /// Forgets what it has told. The terminals are to be looked at afterwards, so that whoever comes in between is told of
    /// again.
    func drain(_ buffer: UnsafeMutableRawBufferPointer) {
        while descriptor >= 0, system_read(descriptor, buffer) > 0 {}
    }
}
