// SPDX-License-Identifier: Apache-2.0

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
