// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

extension CLError {
    /// What went wrong.
    ///
    /// A code is also a pattern for errors: `catch CLError.denied`.
    public enum Code: Int, Hashable, Sendable {
        /// A position could not be obtained just now; the service keeps trying.
        case locationUnknown = 0

        /// The use of location services was refused.
        case denied = 1

        /// The network was not available, or a network error occurred.
        case network = 2

        /// The heading could not be determined, for example next to a strong magnetic field.
        case headingFailure = 3

        /// The use of region monitoring was refused.
        case regionMonitoringDenied = 4

        /// A region cannot be monitored: it is too large, or there are too many.
        case regionMonitoringFailure = 5

        /// Region monitoring could not be set up at once; it will be.
        case regionMonitoringSetupDelayed = 6

        /// Events of a region may arrive late; a better region may be in ``CLError/alternateRegion``.
        case regionMonitoringResponseDelayed = 7

        /// Geocoding found no place.
        case geocodeFoundNoResult = 8

        /// Geocoding found a part of the answer only.
        case geocodeFoundPartialResult = 9

        /// The geocoding request was cancelled.
        case geocodeCanceled = 10

        /// Location updates cannot be deferred.
        case deferredFailed = 11

        /// Location updates cannot be deferred because none are running.
        case deferredNotUpdatingLocation = 12

        /// Location updates cannot be deferred at the accuracy that was asked for.
        case deferredAccuracyTooLow = 13

        /// Location updates cannot be deferred while there is a distance filter.
        case deferredDistanceFiltered = 14

        /// The deferral of location updates was cancelled.
        case deferredCanceled = 15

        /// Beacons cannot be ranged: there is no radio for it, or it is off.
        case rangingUnavailable = 16

        /// The ranging of beacons failed.
        case rangingFailure = 17

        /// The request for authorization was declined, or there was no way to ask.
        case promptDeclined = 18

        /// Past locations could not be read.
        case historicalLocationError = 19

        /// Whether an error is a Core Location error with this code, be it a ``CLError`` or an `NSError`.
        public static func ~= (match: Code, error: any Error) -> Bool {
            (error as? CLError)?.code == match
        }
    }
}
