// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import LiveDevice
import Synchronization

/// Controls whether apps may use the device's position, and lists the services that are using it. All managers of a
/// device share one instance.
///
/// A test or an app can set ``status`` at any time. Revoking the authorization stops updates with `CLError.denied`, and
/// granting it again resumes them. The configuration key `location.authorization` sets the initial status. It also
/// determines the answers to requests, unless the app sets a ``policy``. Safe to use from any thread.
public final class LocationAuthorization: Sendable {
    fileprivate struct State {
        var status: CLAuthorizationStatus
        var accuracy: CLAccuracyAuthorization
        var isEnabled = true
        var policy: any LocationPolicy
        /// The observers in the order in which they are notified.
        var observers: [any Observer] = []
        var isRequestInProgress = false
        /// The requests to submit after the policy has answered the current request.
        var pendingRequests: [PendingRequest] = []

        /// The status reported to apps. It is `denied` while location services are disabled.
        var effectiveStatus: CLAuthorizationStatus { isEnabled ? status : .denied }

        /// Returns whether a request of this kind can still change the status or the accuracy.
        func canRequest(_ kind: LocationAccessRequest.Kind) -> Bool {
            switch kind {
            case .start, .whenInUse: status == .notDetermined
            case .always: status == .notDetermined || status == .authorizedWhenInUse
            case .temporaryFullAccuracy: accuracy == .reducedAccuracy && status != .denied && status != .restricted
            }
        }

        mutating func apply(_ answer: LocationAnswer, to kind: LocationAccessRequest.Kind) {
            guard answer != .leaveUndecided else { return }
            let isGranted = answer == .grant
            switch kind {
            case .start, .whenInUse: status = isGranted ? .authorizedWhenInUse : .denied
            // If an upgrade to `authorizedAlways` is refused, the app keeps `authorizedWhenInUse`.
            case .always where status == .authorizedWhenInUse: if isGranted { status = .authorizedAlways }
            case .always: status = isGranted ? .authorizedAlways : .denied
            case .temporaryFullAccuracy: if isGranted { accuracy = .fullAccuracy }
            }
        }
    }

    protocol Observer: AnyObject, Sendable {
        /// Called after the authorization has changed, on the thread that changed it. No lock is held during the call.
        func authorizationChanged()
        var use: LocationUse? { get }
    }

    /// The default purpose, for requests that do not specify one. This is a copy of the configured value, because a
    /// reference to the device would create a retain cycle.
    private let purpose: String?
    private let state: Mutex<State>

    /// The authorization for the current device: the current task's device or, failing that, the installed device or
    /// the live device.
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

    // MARK: State

    /// The authorization status of all apps. Changing it notifies all managers.
    public var status: CLAuthorizationStatus {
        get { state.withLock { $0.effectiveStatus } }
        set { change { $0.status = newValue } }
    }

    /// The accuracy of the positions that apps receive. Changing it notifies all managers.
    public var accuracy: CLAccuracyAuthorization {
        get { state.withLock { $0.accuracy } }
        set { change { $0.accuracy = newValue } }
    }

    /// Whether location services are enabled on the device. While they are disabled, all apps are denied access. Always
    /// false if the status is `restricted`.
    public var servicesEnabled: Bool {
        get { state.withLock { $0.isEnabled && $0.status != .restricted } }
        set { change { $0.isEnabled = newValue } }
    }

    /// The policy that answers authorization requests.
    public var policy: any LocationPolicy {
        get { state.withLock { $0.policy } }
        set {
            // Releases the previous policy outside the lock, because releasing its pending `answer` closure changes the
            // state.
            let former = state.withLock { exchange(&$0.policy, with: newValue) }
            withExtendedLifetime(former) {}
        }
    }

    /// The services that are using the position, with their purposes and start times.
    public var uses: [LocationUse] { state.withLock { $0.observers }.compactMap(\.use) }

    // MARK: Requests

    var isRequestInProgress: Bool { state.withLock { $0.isRequestInProgress } }

    var isGranted: Bool { grantedAccuracy != nil }

    /// The accuracy of the locations that the app may receive, or nil if access is not granted.
    var grantedAccuracy: CLAccuracyAuthorization? {
        state.withLock { state in
            switch state.effectiveStatus {
            case .authorizedAlways, .authorizedWhenInUse: state.accuracy
            case .notDetermined, .restricted, .denied: nil
            }
        }
    }

    var isDeniedOrRestricted: Bool {
        let status = status
        return status == .denied || status == .restricted
    }

    /// Submits a request to the policy after all earlier requests have been answered. Calls `completion` after the
    /// answer, or immediately if no answer could change the authorization.
    func request(_ kind: LocationAccessRequest.Kind, purpose: String?, completion: (@Sendable () -> Void)? = nil) {
        let pendingRequest = PendingRequest(
            request: LocationAccessRequest(kind: kind, purpose: purpose ?? self.purpose), completion: completion)
        let (isCompleted, policy) = state.withLock { state -> (Bool, (any LocationPolicy)?) in
            guard state.isEnabled, state.canRequest(kind) else { return (true, nil) }
            guard !state.isRequestInProgress else {
                // If a request of the same kind is already queued, the new request is queued only if it has a
                // completion handler.
                if completion != nil || !state.pendingRequests.contains(where: { $0.request.kind == kind }) {
                    state.pendingRequests.append(pendingRequest)
                }
                return (false, nil)
            }
            state.isRequestInProgress = true
            return (false, state.policy)
        }
        if isCompleted { completion?() }
        if let policy { submit(pendingRequest, to: policy) }
    }

    private func submit(_ pendingRequest: PendingRequest, to policy: any LocationPolicy) {
        let singleAnswer = SingleAnswer { [weak self] answer in
            if let self { finish(pendingRequest, answer) } else { pendingRequest.completion?() }
        }
        policy.decide(pendingRequest.request) { singleAnswer.answer($0) }
    }

    /// Applies an answer, then submits the next pending request that can still change the authorization.
    private func finish(_ pendingRequest: PendingRequest, _ answer: LocationAnswer) {
        var completed = [pendingRequest]
        var next: (pendingRequest: PendingRequest, policy: any LocationPolicy)?
        change { state in
            state.apply(answer, to: pendingRequest.request.kind)
            while next == nil, !state.pendingRequests.isEmpty {
                let candidate = state.pendingRequests.removeFirst()
                if state.isEnabled, state.canRequest(candidate.request.kind) {
                    next = (candidate, state.policy)
                } else {
                    completed.append(candidate)
                }
            }
            state.isRequestInProgress = next != nil
        }
        for pendingRequest in completed { pendingRequest.completion?() }
        if let next { submit(next.pendingRequest, to: next.policy) }
    }

    fileprivate struct PendingRequest: Sendable {
        let request: LocationAccessRequest
        let completion: (@Sendable () -> Void)?
    }

    /// Forwards a policy's first answer and ignores any further ones. If the policy releases its `answer` closure
    /// without calling it, the request stays undecided.
    private final class SingleAnswer: Sendable {
        private let body: Mutex<(@Sendable (LocationAnswer) -> Void)?>

        init(_ body: @escaping @Sendable (LocationAnswer) -> Void) { self.body = Mutex(body) }

        deinit { answer(.leaveUndecided) }

        func answer(_ answer: LocationAnswer) {
            let body = body.withLock { $0.take() }
            body?(answer)
        }
    }

    // MARK: Observers

    func add(_ observer: any Observer) { state.withLock { $0.observers.append(observer) } }

    /// Adds an observer without retaining it. A wrapper references the observer weakly and is stored in `slot`. Does
    /// nothing if `slot` is already occupied.
    func add(weak observer: any Observer, in slot: borrowing Mutex<WeakAuthorizationObserver?>) {
        let new = slot.withLock { slot -> WeakAuthorizationObserver? in
            guard slot == nil else { return nil }
            slot = WeakAuthorizationObserver(observer)
            return slot
        }
        if let new { add(new) }
    }

    func remove(_ observer: any Observer) { state.withLock { $0.observers.removeAll { $0 === observer } } }

    private func change(_ body: (inout State) -> Void) {
        let hasChanged = state.withLock { state in
            let before = (state.effectiveStatus, state.accuracy, state.isEnabled)
            body(&state)
            return before != (state.effectiveStatus, state.accuracy, state.isEnabled)
        }
        guard hasChanged else { return }
        for observer in state.withLock({ $0.observers }) { observer.authorizationChanged() }
    }
}

/// Forwards calls to a weakly referenced observer. A strong reference would create a retain cycle, because the observer
/// owns the authorization.
final class WeakAuthorizationObserver: LocationAuthorization.Observer {
    private weak let observer: (any LocationAuthorization.Observer)?

    init(_ observer: any LocationAuthorization.Observer) { self.observer = observer }

    func authorizationChanged() { observer?.authorizationChanged() }

    var use: LocationUse? { observer?.use }
}
