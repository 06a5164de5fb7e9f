// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import LiveDevice

/// States for as long as it lives that the program wants to know where the device is.
///
/// Making one asks for the authorization when it is not decided yet, as `requestWhenInUseAuthorization()` does. Ending
/// it withdraws the wish and leaves the authorization as it is.
public final class CLServiceSession: Sendable {
    /// What a session wants.
    public enum AuthorizationRequirement: Sendable, Hashable {
        /// Nothing: the program does its own asking.
        case none
        /// The position while the program is in use.
        case whenInUse
        /// The position at any time.
        case always
    }

    private let requirement: AuthorizationRequirement
    private let fullAccuracyPurposeKey: String?
    private let changes: AuthorizationChanges

    /// A session that wants so much.
    public convenience init(authorization: AuthorizationRequirement) {
        self.init(requirement: authorization, fullAccuracyPurposeKey: nil)
    }

    /// A session that wants so much, and full accuracy for a purpose.
    public convenience init(authorization: AuthorizationRequirement, fullAccuracyPurposeKey: String) {
        self.init(requirement: authorization, fullAccuracyPurposeKey: fullAccuracyPurposeKey)
    }

    private init(requirement: AuthorizationRequirement, fullAccuracyPurposeKey: String?) {
        self.requirement = requirement
        self.fullAccuracyPurposeKey = fullAccuracyPurposeKey
        let authorization = LocationAuthorization.of(LiveDevice.resolved)
        changes = AuthorizationChanges(authorization)
        switch requirement {
        case .none: break
        case .whenInUse: authorization.request(.whenInUse, purpose: nil)
        case .always: authorization.request(.always, purpose: nil)
        }
        if let fullAccuracyPurposeKey {
            authorization.request(.temporaryFullAccuracy(purposeKey: fullAccuracyPurposeKey), purpose: nil)
        }
    }

    deinit {
        changes.finish()
    }

    /// Withdraws the wish; releasing the session does the same.
    public func invalidate() {
        changes.finish()
    }

    /// How things stand with the wish: the present state first, then one element for each change, until the session ends.
    public var diagnostics: Diagnostics {
        Diagnostics(changes: changes, requirement: requirement, wantsFullAccuracy: fullAccuracyPurposeKey != nil)
    }
}
