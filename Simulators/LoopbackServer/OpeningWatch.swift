// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// Tells when a program has opened one of a simulator's pseudo-terminals: their masters do not.
///
/// One for all of a simulator's, because a user may have few of these.
package final class OpeningWatch: Sendable {
    /// Readable when that has happened; negative where inotify cannot be had.
    package let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))

    /// Watches nothing yet.
    package init() {}

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Watches a terminal until it is gone; false when that cannot be.
    package func add(_ path: String) -> Bool {
        descriptor >= 0 && inotify_add_watch(descriptor, path, UInt32(IN_OPEN)) >= 0
    }

    /// Forgets what it has told. The terminals are to be looked at afterwards, so that whoever comes in between is told of
    /// again.
    package func drain() {
        guard descriptor >= 0 else { return }
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
            while read(descriptor, buffer.baseAddress, buffer.count) > 0 {}
        }
    }
}
