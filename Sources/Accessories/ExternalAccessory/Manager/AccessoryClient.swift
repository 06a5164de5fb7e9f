// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Dispatch
import Foundation
import Logging
import Synchronization

/// Connects a device's accessory source to the app. Receives events on the source's threads and notifies the app on the
/// main thread. Owns the `EAAccessory` objects.
final class AccessoryClient: Sendable {
    private struct Owners: @unchecked Sendable {
        // `@unchecked Sendable` because this structure stores only weak references.
        weak var device: Device?
        weak var manager: EAAccessoryManager?
    }

    struct SessionKey: Hashable {
        var accessory: AccessoryDescription.ID
        var name: String
    }

    /// A lock that is held while a session is opened. Each protocol of an accessory has its own lock. If two calls open
    /// the same protocol, the second finds the session opened by the first.
    final class OpeningLock: Sendable { let lock = Mutex(()) }

    struct State {
        var accessories: [EAAccessory] = []
        var registrations = 0
        var pendingNotifications = PendingNotifications()
        /// True while `deliver()` is scheduled but has not begun yet.
        var isScheduled = false
        var sessions: [SessionKey: SessionCore.Weak] = [:]
        var openingLocks: [SessionKey: OpeningLock] = [:]
        var followingSessions: [ObjectIdentifier: FollowingSession] = [:]
    }

    static let log = Logger(label: "device-services.accessories")

    let source: any AccessorySource
    let appProtocols: [String]?
    let state = Mutex(State())
    private let executor: any CallbackExecutor
    private let owners: Mutex<Owners>
    private let isSubscribed = Atomic<Bool>(false)
    private let subscription = Mutex<Subscription?>(nil)
    /// The queue on which paused sessions are reopened when their accessory is reconnected. Reopening may take 0.1 s.
    let reopenQueue = DispatchQueue(label: "device-services.reopening")
    /// True while a trace is played. Callbacks then run in the trace's order.
    let isPlayback: Bool

    init(device: Device) {
        source = device.accessorySource
        isPlayback = device.playback != nil
        appProtocols = device.configuration.appProtocols.value
        executor = ExecutorSelection.executor(for: OperationQueue.main, device: device)
        owners = Mutex(Owners(device: device))
    }

    var device: Device? { owners.withLock { $0 }.device }

    /// Sets the manager that posts the notifications. The reference is weak, because the device owns both the manager
    /// and this client.
    func attach(_ manager: EAAccessoryManager) { owners.withLock { $0.manager = manager } }

    // MARK: App interface

    var accessories: [EAAccessory] {
        subscribeIfNeeded()
        return state.withLock { $0.accessories }
    }

    func register() {
        subscribeIfNeeded()
        state.withLock { $0.registrations += 1 }
    }

    func unregister() {
        state.withLock { state in
            guard state.registrations > 0 else { return }
            state.registrations -= 1
            if state.registrations == 0 { state.pendingNotifications.removePosts() }
        }
    }

    /// Subscribes to the source. When this call returns, all previously attached accessories are known.
    func subscribeIfNeeded() {
        guard !isSubscribed.load(ordering: .acquiring) else { return }
        subscription.withLock { subscription in
            guard subscription == nil else { return }
            subscription = source.subscribe { [weak self] event in self?.receive(event) }
            isSubscribed.store(true, ordering: .releasing)
        }
    }

    // MARK: Source events

    private func receive(_ event: AccessoryEvent) {
        switch event {
        case .snapshot(let descriptions):
            let accessories = descriptions.map { EAAccessory($0, device: device) }
            state.withLock { $0.accessories += accessories }
        case .attached(let description):
            let accessory = EAAccessory(description, device: device)
            update { state in
                state.accessories.append(accessory)
                if state.registrations > 0 { state.pendingNotifications.items.append(.connected(accessory)) }
            }
            scheduleReconnection()
        case .changed(let description):
            let accessory = state.withLock { $0.accessories.first { $0.connectionID == description.id } }
            accessory?.record?.change(description)
        case .detached(let description): detach(description.id)
        }
    }

    private func detach(_ id: AccessoryDescription.ID) {
        let accessory = state.withLock { state -> EAAccessory? in
            guard let index = state.accessories.firstIndex(where: { $0.connectionID == id }) else { return nil }
            state.openingLocks = state.openingLocks.filter { $0.key.accessory != id }
            return state.accessories.remove(at: index)
        }
        guard let accessory else { return }
        accessory.record?.disconnect()
        update { state in
            state.pendingNotifications.addDisconnected(
                accessory, hasDelegate: accessory.mayHaveDelegate,
                hasSession: state.sessions.keys.contains { $0.accessory == id }, isPosted: state.registrations > 0)
        }
    }

    private func update(_ body: (inout State) -> Void) {
        let shouldSchedule = state.withLock { state in
            body(&state)
            guard !state.isScheduled, !state.pendingNotifications.items.isEmpty else { return false }
            state.isScheduled = true
            return true
        }
        if shouldSchedule { executor.schedule { self.deliver() } }
    }

    // MARK: Notifications

    private func deliver() {
        let (device, manager) = owners.withLock { ($0.device, $0.manager) }
        // Clears the flag first, so that a notification added during delivery schedules another delivery.
        state.withLock { $0.isScheduled = false }
        guard let device else { return }
        device.withCurrent {
            while let notification = state.withLock({ $0.pendingNotifications.popFirst() }) {
                deliver(notification, from: manager)
            }
        }
    }

    private func deliver(_ notification: PendingNotifications.PendingNotification, from manager: EAAccessoryManager?) {
        switch notification {
        case .connected(let accessory): post(.EAAccessoryDidConnect, accessory, from: manager)
        case .disconnected(let accessory, let isPosted):
            for session in sessions(of: accessory) { session.deliverOnMainThread() }
            accessory.delegate?.accessoryDidDisconnect(accessory)
            state.withLock { $0.sessions = $0.sessions.filter { $0.key.accessory != accessory.connectionID } }
            if isPosted { post(.EAAccessoryDidDisconnect, accessory, from: manager) }
        }
    }

    /// Runs `work` asynchronously on the main thread, with this client's device as the current device.
    func onMainThread(_ work: @escaping @Sendable () -> Void) {
        executor.schedule { [self] in if let device { device.withCurrent(work) } else { work() } }
    }

    private func post(_ name: NSNotification.Name, _ accessory: EAAccessory, from manager: EAAccessoryManager?) {
        // The app may have removed its last registration in a callback.
        guard state.withLock({ $0.registrations > 0 }) else { return }
        NotificationCenter.default.post(name: name, object: manager, userInfo: [EAAccessoryKey: accessory])
    }

    private func sessions(of accessory: EAAccessory) -> [SessionCore] {
        let id = accessory.connectionID
        return state.withLock { state in
            state.sessions.compactMap { key, session in key.accessory == id ? session.core : nil }
        }
    }
}
