// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemCalls

/// Copies of all descriptors that lead to a file or folder, closed with this: what a child between fork(2) and exec(2) has.
package final class DescriptorCopies: Sendable {
    private let copies: [Int32]

    package init(of path: String) throws {
        let wanted = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        // All of them first: a copy may get the number of one that is still to be looked at.
        let numbers = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter { name in
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")) == wanted
        }
        copies = numbers.compactMap { Int32($0).map { dup($0) } }
    }

    package var count: Int { copies.count }

    deinit { for copy in copies { systemClose(copy) } }
}
