// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Dispatch
import Foundation
import Logging
import Synchronization

/// Everything behind the manager of a device: hears of accessories on the source's threads, keeps their objects, and
/// tells the program on the main thread.
final class AccessoryClient: Sendable {
    private struct Owners: @unchecked Sendable {
        // Unchecked: only held here.
        weak var device: Device?
        weak var manager: EAAccessoryManager?
    }

    struct SessionKey: Hashable {
        var accessory: AccessoryDescription.ID
        var name: String
    }

    /// Held while a session is opened, so that of two at once the second finds the first.
    final class Turn: Sendable {
        let lock = Mutex(())
    }

    struct State {
        var accessories: [EAAccessory] = []
        var registrations = 0
        var notices = AccessoryNotices()
        var isScheduled = false
        var sessions: [SessionKey: SessionCore.Weak] = [:]
        var turns: [SessionKey: Turn] = [:]
        var followers: [ObjectIdentifier: Follower] = [:]
    }

    static let log = Logger(label: "device-services.accessories")

    let source: any AccessorySource
    let appProtocols: [String]?
    let state = Mutex(State())
    private let delivery: any Delivery
    private let owners: Mutex<Owners>
    private let isListening = Atomic<Bool>(false)
    private let subscription = Mutex<Subscription?>(nil)
    /// Where sessions that follow their accessory are opened again: that may take a tenth of a second.
    let reopening = DispatchQueue(label: "device-services.reopening")
    /// While a trace is played all happens in its order.
    let isPlayedBack: Bool

    init(device: Device) {
        source = device.accessorySource
        isPlayedBack = device.playback != nil
        appProtocols = device.configuration.appProtocols.value
        delivery = AppDelivery.on(OperationQueue.main, device: device)
        owners = Mutex(Owners(device: device))
    }

    var device: Device? { owners.withLock { $0 }.device }

    /// The manager that notifications come from. It belongs to the device, as this does.
    func attach(_ manager: EAAccessoryManager) {
        owners.withLock { $0.manager = manager }
    }

    // MARK: The program's side

    var accessories: [EAAccessory] {
        listen()
        return state.withLock { $0.accessories }
    }

    func register() {
        listen()
        state.withLock { $0.registrations += 1 }
    }

    func unregister() {
        state.withLock { state in
            guard state.registrations > 0 else { return }
            state.registrations -= 1
            if state.registrations == 0 { state.notices.removePosts() }
        }
    }

    /// Begins to listen to the source; returns once it is known what is attached.
    func listen() {
        guard !isListening.load(ordering: .acquiring) else { return }
        subscription.withLock { subscription in
            guard subscription == nil else { return }
            subscription = source.subscribe { [weak self] event in self?.receive(event) }
            isListening.store(true, ordering: .releasing)
        }
    }

    // MARK: The source's side

    private func receive(_ event: AccessoryEvent) {
        switch event {
        case .snapshot(let descriptions):
            let accessories = descriptions.map { EAAccessory($0, device: device) }
            state.withLock { $0.accessories += accessories }
        case .attached(let description):
            let accessory = EAAccessory(description, device: device)
            change { state in
                state.accessories.append(accessory)
                if state.registrations > 0 { state.notices.waiting.append(.connected(accessory)) }
            }
            wakeFollowers()
        case .changed(let description):
            let accessory = state.withLock { $0.accessories.first { $0.connectionID == description.id } }
            accessory?.record?.change(description)
        case .detached(let description): detach(description.id)
        }
    }

    private func detach(_ id: AccessoryDescription.ID) {
        let accessory = state.withLock { state -> EAAccessory? in
            guard let index = state.accessories.firstIndex(where: { $0.connectionID == id }) else { return nil }
            state.turns = state.turns.filter { $0.key.accessory != id }
            return state.accessories.remove(at: index)
        }
        guard let accessory else { return }
        accessory.record?.disconnect()
        change { state in
            state.notices.addDisconnected(
                accessory, hasDelegate: accessory.wasGivenDelegate,
                hasSession: state.sessions.keys.contains { $0.accessory == id }, isPosted: state.registrations > 0)
        }
    }

    /// Changes the state, and has the program told when something waits for it then.
    private func change(_ body: (inout State) -> Void) {
        let isDue = state.withLock { state in
            body(&state)
            guard !state.isScheduled, !state.notices.waiting.isEmpty else { return false }
            state.isScheduled = true
            return true
        }
        if isDue { delivery.schedule { self.deliver() } }
    }

    // MARK: Telling

    private func deliver() {
        let (device, manager) = owners.withLock { ($0.device, $0.manager) }
        state.withLock { $0.isScheduled = false }
        guard let device else { return }
        device.bind {
            while let notice = state.withLock({ $0.notices.takeFirst() }) { tell(notice, from: manager) }
        }
    }

    private func tell(_ notice: AccessoryNotices.Notice, from manager: EAAccessoryManager?) {
        switch notice {
        case .connected(let accessory): post(.EAAccessoryDidConnect, accessory, from: manager)
        case .disconnected(let accessory, let isPosted):
            for session in sessions(of: accessory) { session.deliverOnMainThread() }
            accessory.delegate?.accessoryDidDisconnect(accessory)
            state.withLock { $0.sessions = $0.sessions.filter { $0.key.accessory != accessory.connectionID } }
            if isPosted { post(.EAAccessoryDidDisconnect, accessory, from: manager) }
        }
    }

    /// Runs the work on the main thread, as the device of this client, never inside this call.
    func onMainThread(_ work: @escaping @Sendable () -> Void) {
        delivery.schedule { [self] in
            if let device { device.bind(work) } else { work() }
        }
    }

    private func post(_ name: NSNotification.Name, _ accessory: EAAccessory, from manager: EAAccessoryManager?) {
        // The last observer may have taken its registration back in the callback before this one.
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
