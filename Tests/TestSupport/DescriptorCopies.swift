// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemCalls

/// Duplicates of all descriptors of a file or folder, closed with this object. A child process holds these between
/// fork(2) and exec(2).
package final class DescriptorCopies: Sendable {
    private let copies: [Int32]

    package init(of path: String) throws {
        let wanted = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        // Lists all descriptors first, because a duplicate may get the number of one that has not been checked yet.
        let numbers = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter { name in
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")) == wanted
        }
        copies = numbers.compactMap { Int32($0).map { dup($0) } }
    }

    package var count: Int { copies.count }

    deinit { for copy in copies { systemClose(copy) } }
}
