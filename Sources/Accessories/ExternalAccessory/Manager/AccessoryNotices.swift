// SPDX-License-Identifier: Apache-2.0

/// What the program is still to be told of accessories, of which only what matters is kept.
///
/// There are never more than what was attached when the program was told last, what is attached now, and what the program
/// has had sessions with in between.
struct AccessoryNotices {
    /// One piece of news.
    enum Notice {
        case connected(EAAccessory)
        /// Posted, or only told to the delegate: the program was never told that the accessory came.
        case disconnected(EAAccessory, isPosted: Bool)
    }

    var waiting: [Notice] = []

    /// A connection that was not told yet and its end leave nothing, but a delegate that was set meanwhile is told. One that
    /// the program has found by itself and opened a session with is told as ever: its streams end, and who has heard that
    /// waits for the rest.
    mutating func addDisconnected(_ accessory: EAAccessory, hasDelegate: Bool, hasSession: Bool, isPosted: Bool) {
        let untold = waiting.firstIndex { notice in
            if case .connected(let other) = notice { other === accessory && !hasSession } else { false }
        }
        if let untold { waiting.remove(at: untold) }
        let isPosted = isPosted && untold == nil
        guard isPosted || hasDelegate else { return }
        waiting.append(.disconnected(accessory, isPosted: isPosted))
    }

    /// Nobody is registered any more; delegates are still told.
    mutating func removePosts() {
        waiting = waiting.compactMap { notice in
            switch notice {
            case .connected: nil
            case .disconnected(let accessory, _): .disconnected(accessory, isPosted: false)
            }
        }
    }

    mutating func takeFirst() -> Notice? {
        waiting.isEmpty ? nil : waiting.removeFirst()
    }
}
