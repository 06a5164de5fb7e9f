// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import LiveDevice
import Synchronization

/// Whether programs may know where the device is, and who uses it: one for each device, shared by all managers.
///
/// A test or a program drives it: `status` can be set at any time, also while updates run. Revoking stops them with
/// `CLError.denied`; granting again lets them go on. What it starts from and what requests answer is configured
/// (`location.authorization`), or decided by a `policy`. Safe to use from any thread.
public final class LocationAuthorization: Sendable {
    fileprivate struct State {
        var status: CLAuthorizationStatus
        var accuracy: CLAccuracyAuthorization
        var isOn = true
        var policy: any LocationPolicy
        /// Each takes itself out when it ends.
        var observers: [ObjectIdentifier: any Observer] = [:]
        var isAsking = false
    }

    /// Somebody who has to know of changes.
    protocol Observer: AnyObject, Sendable {
        /// Called without a lock, on the thread that made the change.
        func authorizationChanged()
        /// Nil while it uses nothing.
        var use: LocationUse? { get }
    }

    private let device: Device
    private let state: Mutex<State>

    /// The authorization of the device in force here: the task's, the installed one, or the live one.
    public static var current: LocationAuthorization { of(LiveDevice.resolved) }

    static func of(_ device: Device) -> LocationAuthorization {
        device.component(LocationAuthorization.self) { LocationAuthorization(device: $0) }
    }

    private init(device: Device) {
        self.device = device
        let rule = device.configuration.locationRule.value
        let status: CLAuthorizationStatus =
            switch rule {
            case .grant, .ask: .notDetermined
            case .always: .authorizedAlways
            case .whenInUse: .authorizedWhenInUse
            case .deny: .denied
            case .restrict: .restricted
            }
        state = Mutex(
            State(
                status: status,
                accuracy: device.configuration.reducesAccuracy.value ? .reducedAccuracy : .fullAccuracy,
                policy: ConfiguredLocationPolicy(grantsOnStart: rule == .grant)))
    }

    // MARK: What is in force

    /// What programs may do. Setting it tells every manager.
    public var status: CLAuthorizationStatus {
        get { state.withLock { $0.isOn ? $0.status : .denied } }
        set { change { $0.status = newValue } }
    }

    /// How exactly programs may know the position. Setting it tells every manager.
    public var accuracy: CLAccuracyAuthorization {
        get { state.withLock { $0.accuracy } }
        set { change { $0.accuracy = newValue } }
    }

    /// The switch for the whole device. While it is off every program is denied.
    public var servicesEnabled: Bool {
        get { state.withLock { $0.isOn && $0.status != .restricted } }
        set { change { $0.isOn = newValue } }
    }

    /// Who answers requests.
    public var policy: any LocationPolicy {
        get { state.withLock { $0.policy } }
        set { state.withLock { $0.policy = newValue } }
    }

    /// Everybody who uses the position right now.
    public var uses: [LocationUse] {
        observers().compactMap(\.use)
    }

    // MARK: Requests

    /// True while a policy has a wish before it and has not answered.
    var isAsking: Bool { state.withLock { $0.isAsking } }

    /// True when locations may be delivered.
    var isGranted: Bool {
        switch status {
        case .authorizedAlways, .authorizedWhenInUse: true
        case .notDetermined, .restricted, .denied: false
        }
    }

    /// True when a program has to be told that it may not.
    var isRefused: Bool {
        let status = status
        return status == .denied || status == .restricted
    }

    /// A program's wish. Does nothing when it has been decided already.
    func request(_ kind: LocationAccessRequest.Kind, purpose: String?, completion: (@Sendable (Bool) -> Void)? = nil) {
        let policy = state.withLock { state -> (any LocationPolicy)? in
            guard state.isOn, !state.isAsking, state.canAsk(kind) else { return nil }
            state.isAsking = true
            return state.policy
        }
        guard let policy else {
            completion?(false)
            return
        }
        let answered = AnswerOnce()
        let purpose = purpose ?? device.configuration.locationPurpose.value
        policy.decide(LocationAccessRequest(kind: kind, purpose: purpose)) { [weak self] answer in
            guard answered.take() else { return }
            self?.change { state in
                state.isAsking = false
                state.apply(answer, to: kind)
            }
            completion?(answer == .grant)
        }
    }

    /// Lets a policy answer once only.
    private final class AnswerOnce: Sendable {
        private let isAnswered = Mutex(false)

        func take() -> Bool {
            isAnswered.withLock { isAnswered in
                defer { isAnswered = true }
                return !isAnswered
            }
        }
    }

    // MARK: Observers

    func add(_ observer: any Observer) {
        state.withLock { $0.observers[ObjectIdentifier(observer)] = observer }
    }

    func remove(_ observer: any Observer) {
        _ = state.withLock { $0.observers.removeValue(forKey: ObjectIdentifier(observer)) }
    }

    private func observers() -> [any Observer] {
        state.withLock { Array($0.observers.values) }
    }

    private func change(_ body: (inout State) -> Void) {
        let hasChanged = state.withLock { state in
            let before = (state.status, state.accuracy, state.isOn)
            body(&state)
            return before != (state.status, state.accuracy, state.isOn)
        }
        guard hasChanged else { return }
        for observer in observers() { observer.authorizationChanged() }
    }
}

extension LocationAuthorization.State {
    /// True when the wish would change something and has not been refused.
    fileprivate func canAsk(_ kind: LocationAccessRequest.Kind) -> Bool {
        switch kind {
        case .start, .whenInUse: status == .notDetermined
        case .always: status == .notDetermined || status == .authorizedWhenInUse
        case .temporaryFullAccuracy: accuracy == .reducedAccuracy && status != .denied && status != .restricted
        }
    }

    fileprivate mutating func apply(_ answer: LocationAnswer, to kind: LocationAccessRequest.Kind) {
        guard answer != .leaveUndecided else { return }
        let isGranted = answer == .grant
        switch kind {
        case .start, .whenInUse: status = isGranted ? .authorizedWhenInUse : .denied
        // A refused upgrade leaves what was granted before.
        case .always where status == .authorizedWhenInUse: if isGranted { status = .authorizedAlways }
        case .always: status = isGranted ? .authorizedAlways : .denied
        case .temporaryFullAccuracy: if isGranted { accuracy = .fullAccuracy }
        }
    }
}
