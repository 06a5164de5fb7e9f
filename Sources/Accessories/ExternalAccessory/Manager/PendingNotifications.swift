// SPDX-License-Identifier: Apache-2.0

/// The pending notifications to the app, without those that have become obsolete.
///
/// Their number is bounded by the accessories attached at the last delivery, those attached now, and those with which
/// the app has opened sessions in between.
struct PendingNotifications {
    /// A pending notification.
    enum PendingNotification {
        case connected(EAAccessory)
        /// `isPosted` is false if only the delegate is called: the app was not notified of the connection, or is not
        /// registered for notifications.
        case disconnected(EAAccessory, isPosted: Bool)
    }

    var items: [PendingNotification] = []

    /// Adds the disconnection of an accessory.
    ///
    /// A pending connection of the accessory is removed, and its disconnection is not posted, but the delegate is
    /// called. If the app has already opened a session with the accessory, both notifications are posted: the app has
    /// received the ends of the streams and expects the disconnection.
    mutating func addDisconnected(_ accessory: EAAccessory, hasDelegate: Bool, hasSession: Bool, isPosted: Bool) {
        let pendingConnection = items.firstIndex { notice in
            if case .connected(let other) = notice { other === accessory && !hasSession } else { false }
        }
        if let pendingConnection { items.remove(at: pendingConnection) }
        let isPosted = isPosted && pendingConnection == nil
        guard isPosted || hasDelegate else { return }
        items.append(.disconnected(accessory, isPosted: isPosted))
    }

    /// Removes the notifications to post after the last registration has ended. Delegates are still called.
    mutating func removePosts() {
        items = items.compactMap { notice in
            switch notice {
            case .connected: nil
            case .disconnected(let accessory, _): .disconnected(accessory, isPosted: false)
            }
        }
    }

    mutating func popFirst() -> PendingNotification? {
        items.isEmpty ? nil : items.removeFirst()
    }
}
