// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

/// Values recorded on other threads, for which a test can wait.
package final class Log<Element: Sendable>: Sendable {
    private let content = Mutex<[Element]>([])
    private let event = BinarySemaphore()

    /// Creates an empty log.
    package init() {}

    package var elements: [Element] { content.withLock { $0 } }

    package func add(_ element: Element) {
        content.withLock { $0.append(element) }
        event.signal()
    }

    /// Waits until the elements satisfy the condition, at most a minute for each element.
    package func wait(until isSatisfied: ([Element]) -> Bool) -> Bool {
        while !isSatisfied(elements) {
            guard event.wait(seconds: 60) else { return isSatisfied(elements) }
        }
        return true
    }

    /// Waits until the elements are as expected, or until a timeout, and returns them.
    package func wait(for expected: [Element]) -> [Element] where Element: Equatable {
        _ = wait { $0 == expected }
        return elements
    }
}
