// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import Foundation

extension Error {
    /// Why it happened, in the words of the device where it has said something.
    var reason: String {
        let wrapped = self as NSError
        if let cause = wrapped.userInfo[NSUnderlyingErrorKey] as? DeviceError { return cause.description }
        if (self as? CLError)?.code == .locationUnknown { return "The receiver has no fix." }
        return wrapped.localizedDescription
    }
}

extension CLAuthorizationStatus {
    /// The name of the case.
    var name: String {
        switch self {
        case .notDetermined: "notDetermined"
        case .restricted: "restricted"
        case .denied: "denied"
        case .authorizedAlways: "authorizedAlways"
        case .authorizedWhenInUse: "authorizedWhenInUse"
        }
    }
}

extension CLAccuracyAuthorization {
    /// The name of the case.
    var name: String {
        switch self {
        case .fullAccuracy: "fullAccuracy"
        case .reducedAccuracy: "reducedAccuracy"
        }
    }
}
