// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import LiveDevice
import Synchronization

/// Whether programs may know where the device is, and who uses it: one for each device, shared by all managers.
///
/// A test or a program drives it: `status` can be set at any time, also while updates run. Revoking stops them with
/// `CLError.denied`; granting again lets them go on. The configuration (`location.authorization`) or a `policy` decides
/// the first status and the answers to requests. Safe to use from any thread.
public final class LocationAuthorization: Sendable {
    fileprivate struct State {
        var status: CLAuthorizationStatus
        var accuracy: CLAccuracyAuthorization
        var isOn = true
        var policy: any LocationPolicy
        /// In the order in which they came, which is the order in which they are told. Each takes itself out.
        var observers: [any Observer] = []
        var isAsking = false
        /// What waits until the policy has answered.
        var wishes: [Wish] = []
    }

    /// Somebody who has to know of changes.
    protocol Observer: AnyObject, Sendable {
        /// Called without a lock, on the thread that made the change.
        func authorizationChanged()
        /// Nil while it uses nothing.
        var use: LocationUse? { get }
    }

    /// What the position is for, as configured. Not the device, which owns this object.
    private let purpose: String?
    private let state: Mutex<State>

    /// The authorization of the device in force here: the task's, the installed one, or the live one.
    public static var current: LocationAuthorization { of(LiveDevice.resolved) }

    static func of(_ device: Device) -> LocationAuthorization {
        device.component(LocationAuthorization.self) { LocationAuthorization(device: $0) }
    }

    private init(device: Device) {
        purpose = device.configuration.locationPurpose.value
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
        get { state.withLock { $0.effectiveStatus } }
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
        state.withLock { $0.observers }.compactMap(\.use)
    }

    // MARK: Requests

    /// True while a policy has a wish before it and has not answered.
    var isAsking: Bool { state.withLock { $0.isAsking } }

    /// True when locations may be delivered.
    var isGranted: Bool { grantedAccuracy != nil }

    /// How exact the locations are that may be delivered; nil when none may.
    var grantedAccuracy: CLAccuracyAuthorization? {
        state.withLock { state in
            switch state.effectiveStatus {
            case .authorizedAlways, .authorizedWhenInUse: state.accuracy
            case .notDetermined, .restricted, .denied: nil
            }
        }
    }

    /// True when a program has to be told that it may not.
    var isRefused: Bool {
        let status = status
        return status == .denied || status == .restricted
    }

    /// A program's wish, put before the policy when it has answered the ones before. The closure is called once it is
    /// decided, at once when there is nothing to decide.
    func request(_ kind: LocationAccessRequest.Kind, purpose: String?, completion: (@Sendable () -> Void)? = nil) {
        let wish = Wish(
            request: LocationAccessRequest(kind: kind, purpose: purpose ?? self.purpose), completion: completion)
        let (isSettled, policy) = state.withLock { state -> (Bool, (any LocationPolicy)?) in
            guard state.isOn, state.canAsk(kind) else { return (true, nil) }
            guard !state.isAsking else {
                // Once is enough where nobody waits for the answer.
                if completion != nil || !state.wishes.contains(where: { $0.request.kind == kind }) {
                    state.wishes.append(wish)
                }
                return (false, nil)
            }
            state.isAsking = true
            return (false, state.policy)
        }
        if isSettled { completion?() }
        if let policy { put(wish, before: policy) }
    }

    private func put(_ wish: Wish, before policy: any LocationPolicy) {
        let question = Question { [weak self] answer in
            if let self { settle(wish, answer) } else { wish.completion?() }
        }
        policy.decide(wish.request) { question.answer($0) }
    }

    /// Takes an answer and turns to the next wish that it has left open.
    private func settle(_ wish: Wish, _ answer: LocationAnswer) {
        var settled = [wish]
        var next: (wish: Wish, policy: any LocationPolicy)?
        change { state in
            state.apply(answer, to: wish.request.kind)
            while next == nil, !state.wishes.isEmpty {
                let candidate = state.wishes.removeFirst()
                if state.isOn, state.canAsk(candidate.request.kind) {
                    next = (candidate, state.policy)
                } else {
                    settled.append(candidate)
                }
            }
            state.isAsking = next != nil
        }
        for wish in settled { wish.completion?() }
        if let next { put(next.wish, before: next.policy) }
    }

    /// What a program wishes, and who waits for the decision.
    fileprivate struct Wish: Sendable {
        let request: LocationAccessRequest
        let completion: (@Sendable () -> Void)?
    }

    /// Lets a policy answer once only; one that drops the question has left it undecided.
    private final class Question: Sendable {
        private let body: Mutex<(@Sendable (LocationAnswer) -> Void)?>

        init(_ body: @escaping @Sendable (LocationAnswer) -> Void) {
            self.body = Mutex(body)
        }

        deinit {
            answer(.leaveUndecided)
        }

        func answer(_ answer: LocationAnswer) {
            let body = body.withLock { body in
                defer { body = nil }
                return body
            }
            body?(answer)
        }
    }

    // MARK: Observers

    func add(_ observer: any Observer) {
        state.withLock { $0.observers.append(observer) }
    }

    func remove(_ observer: any Observer) {
        state.withLock { $0.observers.removeAll { $0 === observer } }
    }

    private func change(_ body: (inout State) -> Void) {
        let hasChanged = state.withLock { state in
            let before = (state.effectiveStatus, state.accuracy, state.isOn)
            body(&state)
            return before != (state.effectiveStatus, state.accuracy, state.isOn)
        }
        guard hasChanged else { return }
        for observer in state.withLock({ $0.observers }) { observer.authorizationChanged() }
    }
}

extension LocationAuthorization.State {
    /// What programs see: while the switch is off, that they are denied.
    fileprivate var effectiveStatus: CLAuthorizationStatus { isOn ? status : .denied }

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

/// Stands in for an observer that nobody takes out: a part of the device, as the authorization is.
///
/// Both would keep each other alive otherwise, after the device has gone.
final class WeakAuthorizationObserver: LocationAuthorization.Observer {
    private weak let observer: (any LocationAuthorization.Observer)?

    init(_ observer: any LocationAuthorization.Observer) {
        self.observer = observer
    }

    func authorizationChanged() { observer?.authorizationChanged() }

    var use: LocationUse? { observer?.use }
}
