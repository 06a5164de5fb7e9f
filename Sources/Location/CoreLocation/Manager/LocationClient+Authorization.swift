// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Synchronization

extension LocationClient: LocationAuthorization.Observer {
    func authorizationChanged() {
        let schedule = state.withLock { state -> (any Delivery)? in
            if state.hasIntroducedItself { state.mailbox.addAuthorization() }
            let isRefused = authorization.isRefused
            // Once for each refusal, and also in place of the result of a request that nobody has heard yet.
            if isRefused, !state.isRefused, !state.services.isEmpty || state.mailbox.hasLocations {
                state.mailbox.removePositions()
                state.mailbox.add(CLError(.denied))
                state.cancelRequest()
            }
            // Nothing is kept that may not be known any more.
            if isRefused || authorization.accuracy == .reducedAccuracy { state.forgetPlaces() }
            state.isRefused = isRefused
            return state.deliveryToSchedule()
        }
        adjustSubscription()
        schedule?.schedule { self.deliver() }
    }

    var use: LocationUse? {
        let (services, purpose, since) = state.withLock { ($0.services, $0.settings.purpose, $0.since) }
        guard !services.isEmpty, authorization.isGranted else { return nil }
        return LocationUse(
            services: services, purpose: purpose ?? device.configuration.locationPurpose.value,
            since: Date(timeIntervalSinceReferenceDate: since.sinceReferenceDate))
    }
}
