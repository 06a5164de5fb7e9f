// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import CoreLocation

/// Prints callbacks as they come, one after the other.
protocol CallbackPrinter: AnyObject {
    func print(_ locations: [CLLocation])
    func print(_ error: any Error)
    func print(_ status: CLAuthorizationStatus, accuracy: CLAccuracyAuthorization)
}
