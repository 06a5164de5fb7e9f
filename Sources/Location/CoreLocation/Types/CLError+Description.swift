// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import Foundation

extension CLError {
    /// What happened, in a sentence: the one in ``userInfo`` if there is one, else a general one for the code.
    public var localizedDescription: String {
        userInfo[NSLocalizedDescriptionKey] as? String ?? code.sentence
    }
}

extension CLError.Code {
    /// What this code says happened.
    var sentence: String {
        switch self {
        case .locationUnknown: "The location could not be determined just now."
        case .denied: "The use of location services was denied."
        case .network: "The network could not be reached."
        case .headingFailure: "The heading could not be determined because of magnetic interference."
        case .regionMonitoringDenied: "The use of region monitoring was denied."
        case .regionMonitoringFailure: "The region cannot be monitored."
        case .regionMonitoringSetupDelayed: "The monitoring of the region could not be set up at once."
        case .regionMonitoringResponseDelayed: "Events of the monitored region may arrive late."
        case .geocodeFoundNoResult: "No place was found for the geocoding request."
        case .geocodeFoundPartialResult: "Only a part of the place was found for the geocoding request."
        case .geocodeCanceled: "The geocoding request was cancelled."
        case .deferredFailed: "Location updates cannot be deferred."
        case .deferredNotUpdatingLocation:
            "Location updates cannot be deferred because they are not running or are paused."
        case .deferredAccuracyTooLow: "Location updates cannot be deferred at the requested accuracy."
        case .deferredDistanceFiltered: "Location updates cannot be deferred while a distance filter is set."
        case .deferredCanceled: "The deferral of location updates was cancelled."
        case .rangingUnavailable: "Beacons cannot be ranged on this device."
        case .rangingFailure: "The ranging of beacons failed."
        case .promptDeclined: "The request for authorization was declined or could not be shown."
        case .historicalLocationError: "Past locations could not be read."
        }
    }
}
