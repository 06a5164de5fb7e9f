// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The domain of Core Location's errors as `NSError`.
public let kCLErrorDomain = "kCLErrorDomain"

/// The key in the user information of an error for a region that can be monitored better: ``CLError/alternateRegion``.
public let kCLErrorUserInfoAlternateRegionKey = "kCLErrorUserInfoAlternateRegionKey"

/// An error of Core Location.
///
/// ```swift
/// func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
///     if let error = error as? CLError, error.code == .denied {
///         manager.stopUpdatingLocation()
///     }
/// }
/// ```
///
/// As on Apple's platforms it is the Swift face of an `NSError` in ``kCLErrorDomain``: either can be cast to the other
/// with `as?`, and `catch CLError.denied` catches both. An `NSError` with a code that is not in ``Code`` stays an
/// `NSError`. Values can be used from any thread.
public struct CLError: Error, CustomNSError, Hashable, Sendable {
    /// What went wrong.
    public let code: Code

    /// The error that this one wraps. It carries the user information and is what a cast to `NSError` gives.
    let wrapped: NSError

    /// Creates an error: `CLError(.denied)`.
    /// - Parameters:
    ///   - code: What went wrong.
    ///   - userInfo: More about it, under Foundation's keys for errors or ``kCLErrorUserInfoAlternateRegionKey``.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        self.code = code
        wrapped = LocationNSError(code, userInfo: userInfo)
    }

    /// Wraps an error of Core Location; nil for an error of another domain or with an unknown code.
    init?(wrapping error: NSError) {
        guard error.domain == kCLErrorDomain, let code = Code(rawValue: error.code) else { return nil }
        self.code = code
        wrapped = error
    }

    /// More about the error.
    public var userInfo: [String: Any] { wrapped.userInfo }

    /// A region close to the wanted one that can be monitored better, or nil.
    public var alternateRegion: CLRegion? { userInfo[kCLErrorUserInfoAlternateRegionKey] as? CLRegion }

    /// ``kCLErrorDomain``.
    public static var errorDomain: String { kCLErrorDomain }

    /// The raw value of ``code``.
    public var errorCode: Int { code.rawValue }

    /// ``userInfo`` and a sentence that says what happened: Foundation's `localizedDescription` of any error asks here.
    public var errorUserInfo: [String: Any] {
        userInfo.merging([NSLocalizedDescriptionKey: code.sentence]) { given, _ in given }
    }

    /// Whether two errors have the same code and the same user information.
    public static func == (lhs: CLError, rhs: CLError) -> Bool { lhs.wrapped.isEqual(rhs.wrapped) }

    /// Hashes the code: user information may hold values without a hash.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

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

    /// The code ``Code/locationUnknown``.
    public static var locationUnknown: Code { .locationUnknown }

    /// The code ``Code/denied``.
    public static var denied: Code { .denied }

    /// The code ``Code/network``.
    public static var network: Code { .network }

    /// The code ``Code/headingFailure``.
    public static var headingFailure: Code { .headingFailure }

    /// The code ``Code/regionMonitoringDenied``.
    public static var regionMonitoringDenied: Code { .regionMonitoringDenied }

    /// The code ``Code/regionMonitoringFailure``.
    public static var regionMonitoringFailure: Code { .regionMonitoringFailure }

    /// The code ``Code/regionMonitoringSetupDelayed``.
    public static var regionMonitoringSetupDelayed: Code { .regionMonitoringSetupDelayed }

    /// The code ``Code/regionMonitoringResponseDelayed``.
    public static var regionMonitoringResponseDelayed: Code { .regionMonitoringResponseDelayed }

    /// The code ``Code/geocodeFoundNoResult``.
    public static var geocodeFoundNoResult: Code { .geocodeFoundNoResult }

    /// The code ``Code/geocodeFoundPartialResult``.
    public static var geocodeFoundPartialResult: Code { .geocodeFoundPartialResult }

    /// The code ``Code/geocodeCanceled``.
    public static var geocodeCanceled: Code { .geocodeCanceled }

    /// The code ``Code/deferredFailed``.
    public static var deferredFailed: Code { .deferredFailed }

    /// The code ``Code/deferredNotUpdatingLocation``.
    public static var deferredNotUpdatingLocation: Code { .deferredNotUpdatingLocation }

    /// The code ``Code/deferredAccuracyTooLow``.
    public static var deferredAccuracyTooLow: Code { .deferredAccuracyTooLow }

    /// The code ``Code/deferredDistanceFiltered``.
    public static var deferredDistanceFiltered: Code { .deferredDistanceFiltered }

    /// The code ``Code/deferredCanceled``.
    public static var deferredCanceled: Code { .deferredCanceled }

    /// The code ``Code/rangingUnavailable``.
    public static var rangingUnavailable: Code { .rangingUnavailable }

    /// The code ``Code/rangingFailure``.
    public static var rangingFailure: Code { .rangingFailure }

    /// The code ``Code/promptDeclined``.
    public static var promptDeclined: Code { .promptDeclined }

    /// The code ``Code/historicalLocationError``.
    public static var historicalLocationError: Code { .historicalLocationError }
}
