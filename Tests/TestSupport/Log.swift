// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

/// What was told on other threads, for a test that waits for it.
package final class Log<Element: Sendable>: Sendable {
    private let content = Mutex<[Element]>([])
    private let news = Bell()

    /// Nothing was told yet.
    package init() {}

    package var elements: [Element] { content.withLock { $0 } }

    package func add(_ element: Element) {
        content.withLock { $0.append(element) }
        news.ring()
    }

    /// Waits until what has been told satisfies the condition, at most a minute for each thing told.
    package func wait(until isSatisfied: ([Element]) -> Bool) -> Bool {
        while !isSatisfied(elements) {
            guard news.wait(seconds: 60) else { return isSatisfied(elements) }
        }
        return true
    }

    /// What has been told when it is what was expected, or when that does not come.
    package func wait(for expected: [Element]) -> [Element] where Element: Equatable {
        _ = wait { $0 == expected }
        return elements
    }
}
