// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The position of the latest read within its input, for progress displays. Readers update it about once per MiB, from
/// any thread.
package enum ReadProgress {
    /// The distance between two updates, in bytes (1 MiB).
    package static let step = 1 << 20
    private static let position = Atomic<Int>(0)
    private static let size = Atomic<Int>(0)

    /// Records that the first `position` of `size` bytes were read. Any other unit is possible.
    package static func update(_ position: Int, of size: Int) {
        self.size.store(size, ordering: .relaxed)
        self.position.store(position, ordering: .relaxed)
    }

    /// Must be called when a different kind of work begins.
    package static func reset() { update(0, of: 0) }

    /// The fraction of the input that was read, from 0 to 1. nil if nothing was read or the size is unknown.
    package static var fraction: Double? {
        let (position, size) = (position.load(ordering: .relaxed), size.load(ordering: .relaxed))
        return position > 0 && size > 0 ? min(Double(position) / Double(size), 1) : nil
    }
}
