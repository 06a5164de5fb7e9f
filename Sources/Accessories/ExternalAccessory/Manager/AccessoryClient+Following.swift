// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Dispatch
import Logging
import Synchronization

// Sessions that resume when their accessory is reconnected.
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
                    // The accessory may already have been reconnected.
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
        // The accessory may have been reconnected in the meantime.
        resumeFollowingSessions()
        return core
    }

    /// Resumes sessions on `reopenQueue` to avoid blocking the source's thread. During playback, sessions resume on the
    /// calling thread.
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
                // The list may still contain the connection that is ending.
                accessory.connectionID != core.accessory.connectionID
            else { continue }
            let name = channel.name
            do throws(DeviceError) {
                var isResumed = false
                _ = try open(accessory, protocol: name, takesOver: false) { next in
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

/// The pending notifications to the app. Obsolete notifications are removed, so their number is bounded.
struct PendingNotifications {
    enum PendingNotification {
        case connected(EAAccessory)
        /// If `isPosted` is false, only the delegate is called, because the app was not notified of the connection or
        /// is not registered for notifications.
        case disconnected(EAAccessory, isPosted: Bool)
    }

    var items: [PendingNotification] = []

    /// Adds a disconnection notification. If the connection notification is still pending, neither of the two is
    /// posted, but the delegate is called. However, if the app has already opened a session with the accessory, both
    /// are posted, because the app has seen the streams end and expects the disconnection.
    mutating func addDisconnected(_ accessory: EAAccessory, hasDelegate: Bool, hasSession: Bool, isPosted: Bool) {
        let pendingConnection = items.firstIndex { notification in
            if case .connected(let other) = notification { other === accessory && !hasSession } else { false }
        }
        if let pendingConnection { items.remove(at: pendingConnection) }
        let isPosted = isPosted && pendingConnection == nil
        guard isPosted || hasDelegate else { return }
        items.append(.disconnected(accessory, isPosted: isPosted))
    }

    /// Discards pending notifications after the last registration has been removed. Delegates are still called.
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
