// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

// Callbacks, where the program wants them.
extension LocationClient {
    /// Hands over what is in the mailbox. What comes in meanwhile waits for the next turn, so that a flood of readings
    /// does not keep the program's thread from its other work.
    func deliver() {
        var turn = state.withLock { $0.beginTurn() }
        guard let manager = turn.manager else { return }
        defer { state.withLock { $0.isInCallback = false } }
        device.bind {
            while let item = turn.item {
                if let delegate = turn.delegate { tell(delegate, item, manager) }
                turn.count -= 1
                guard turn.count > 0 else { return }
                // The former delegate goes outside of the lock: it may stop its manager as it goes.
                (turn.item, turn.delegate) = state.withLock { ($0.takeItem(), $0.delegate) }
            }
        }
    }

    func tell(_ delegate: any CLLocationManagerDelegate, _ item: Mailbox.Item, _ manager: CLLocationManager) {
        switch item {
        case .locations(let locations): delegate.locationManager(manager, didUpdateLocations: locations)
        case .failure(let error): delegate.locationManager(manager, didFailWithError: error)
        case .authorization: delegate.locationManagerDidChangeAuthorization(manager)
        case .deferredFinished(let error):
            delegate.locationManager(manager, didFinishDeferredUpdatesWithError: error)
        case .heading(let heading): delegate.locationManager(manager, didUpdateHeading: heading)
        case .headingFailure(let error): delegate.locationManager(manager, didFailWithError: error)
        // There is nothing that could be shown.
        case .calibrationQuestion: _ = delegate.locationManagerShouldDisplayHeadingCalibration(manager)
        }
    }
}
