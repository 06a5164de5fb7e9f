// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Dispatch
import Logging
import Synchronization

/// Sessions that resume when their accessory is reconnected.
extension AccessoryClient {
    struct FollowingSession {
        weak var channel: ReconnectingChannel?
        weak var core: SessionCore?
    }

    func follow(
        _ accessory: EAAccessory, protocol name: String, changed: @escaping @Sendable (EASession.Connection) -> Void
    ) throws(DeviceError) -> SessionCore {
        guard let device else { throw EASession.notConnected(accessory) }
        let core = try open(accessory, protocol: name) { first in
            let channel = ReconnectingChannel(
                first, identity: accessory.identity, name: name,
                changed: { [weak self] connection in
                    self?.onMainThread { changed(connection) }
                    // If the accessory has already been reconnected, no further event resumes the session, so this call
                    // does.
                    if case .paused = connection { self?.scheduleReconnection() }
                },
                closed: { [weak self] id in self?.state.withLock { $0.followingSessions[id] = nil } })
            let core = SessionCore(channel: channel, device: device, accessory: accessory, name: name)
            state.withLock {
                $0.followingSessions[ObjectIdentifier(channel)] = FollowingSession(channel: channel, core: core)
            }
            return core
        }
        core.startObserving()
        // The accessory may have been reconnected before the session was added to `followingSessions`.
        resumeFollowingSessions()
        return core
    }

    /// Resumes sessions whose accessory has been reconnected. Uses `reopenQueue`, so that the source's thread is not
    /// blocked. During playback, resumes them on the calling thread instead.
    func scheduleReconnection() {
        let hasFollowingSessions = state.withLock { !$0.followingSessions.isEmpty }
        guard hasFollowingSessions else { return }
        if isPlayback {
            resumeFollowingSessions()
        } else {
            reopenQueue.async { [weak self] in self?.resumeFollowingSessions() }
        }
    }

    private func resumeFollowingSessions() {
        for accessory in state.withLock({ $0.accessories }) { resumeFollowingSessions(with: accessory) }
    }

    private func resumeFollowingSessions(with accessory: EAAccessory) {
        let offered = accessory.protocolStrings
        for session in state.withLock({ Array($0.followingSessions.values) }) {
            guard let channel = session.channel, let core = session.core, channel.isPaused,
                channel.identity == accessory.identity, offered.contains(channel.name),
                // The accessory may still be listed with the connection that just ended.
                accessory.connectionID != core.accessory.connectionID
            else { continue }
            let name = channel.name
            do throws(DeviceError) {
                var isResumed = false
                _ = try open(accessory, protocol: name, takesOver: false) { next in
                    // During playback, `adopt` may call this method again. Setting the accessory first makes the nested
                    // call skip this session. Otherwise, the nested call would try to take the `OpeningLock`, which is
                    // already held.
                    core.setAccessory(accessory)
                    isResumed = channel.adopt(next)
                    return core
                }
                if isResumed { channel.onChange(.resumed(accessory)) }
            } catch {
                AccessoryClient.log.error("The session with \"\(accessory.name)\" for \(name) cannot resume: \(error)")
                channel.onChange(.failed(error))
            }
        }
    }
}

/// Notifications that the app has not received yet. Obsolete notifications are removed, so their number is bounded.
struct PendingNotifications {
    enum PendingNotification {
        case connected(EAAccessory)
        /// If `isPosted` is false, the delegate is called, but no notification is posted. This happens if the app was
        /// not notified of the connection or is not registered for notifications.
        case disconnected(EAAccessory, isPosted: Bool)
    }

    var items: [PendingNotification] = []

    /// Adds the notification of a disconnection. If the app has not yet been notified of the connection, only the
    /// delegate is called, and neither notification is posted. However, if the app has already opened a session with
    /// the accessory, both are posted, because the app sees the streams end.
    mutating func addDisconnected(_ accessory: EAAccessory, hasDelegate: Bool, hasSession: Bool, isPosted: Bool) {
        let pendingConnection = items.firstIndex { notification in
            if case .connected(let other) = notification { other === accessory && !hasSession } else { false }
        }
        if let pendingConnection { items.remove(at: pendingConnection) }
        let isPosted = isPosted && pendingConnection == nil
        guard isPosted || hasDelegate else { return }
        items.append(.disconnected(accessory, isPosted: isPosted))
    }

    /// Called when the app has removed its last registration. Pending notifications are no longer posted, but delegates
    /// are still called.
    mutating func removePosts() {
        items = items.compactMap { notification in
            switch notification {
            case .connected: nil
            case .disconnected(let accessory, _): .disconnected(accessory, isPosted: false)
            }
        }
    }

    mutating func popFirst() -> PendingNotification? { items.isEmpty ? nil : items.removeFirst() }
}
