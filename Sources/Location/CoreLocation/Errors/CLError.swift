// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The error domain of Core Location.
public let kCLErrorDomain = "kCLErrorDomain"

/// The ``CLError/userInfo`` key for ``CLError/alternateRegion``.
public let kCLErrorUserInfoAlternateRegionKey = "kCLErrorUserInfoAlternateRegionKey"

/// A Core Location error.
///
/// ```swift
/// func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
///     if let error = error as? CLError, error.code == .denied {
///         manager.stopUpdatingLocation()
///     }
/// }
/// ```
///
/// As on Apple's platforms, a `CLError` wraps an `NSError` in ``kCLErrorDomain``. Either type can be cast to the other
/// with `as?`, and `catch CLError.denied` catches both. An `NSError` whose code is not in ``Code`` cannot be cast to
/// `CLError`. Safe to use from any thread.
public struct CLError: Error, CustomNSError, Hashable, Sendable {
    /// The error code.
    public let code: Code

    /// The wrapped `NSError`, which contains the user information. A cast to `NSError` returns this object.
    let wrapped: NSError

    /// Creates an error, for example `CLError(.denied)`. The user information may contain Foundation's keys and
    /// ``kCLErrorUserInfoAlternateRegionKey``.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        self.code = code
        wrapped = LocationNSError(code, userInfo: userInfo)
    }

    /// Wraps an `NSError`. Returns nil if it has a different domain or an unknown code.
    init?(wrapping error: NSError) {
        guard error.domain == kCLErrorDomain, let code = Code(rawValue: error.code) else { return nil }
        self.code = code
        wrapped = error
    }

    /// Additional information about the error.
    public var userInfo: [String: Any] { wrapped.userInfo }
    /// A nearby region that can be monitored more effectively than the requested region, or nil if no such region is
    /// known.
    public var alternateRegion: CLRegion? { userInfo[kCLErrorUserInfoAlternateRegionKey] as? CLRegion }

    /// The error domain, ``kCLErrorDomain``.
    public static var errorDomain: String { kCLErrorDomain }

    /// The raw value of ``code``.
    public var errorCode: Int { code.rawValue }

    /// The user information, including the description that Foundation's `localizedDescription` returns.
    public var errorUserInfo: [String: Any] {
        userInfo.merging([NSLocalizedDescriptionKey: code.sentence]) { given, _ in given }
    }

    /// Returns whether both errors have the same code and user information.
    public static func == (lhs: CLError, rhs: CLError) -> Bool { lhs.wrapped.isEqual(rhs.wrapped) }

    /// Hashes only the code, because values in the user information may not be hashable.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension CLError {
    /// The codes of Core Location errors. A code can be used as a pattern, as in `catch CLError.denied`.
    public enum Code: Int, Hashable, Sendable {
        /// No position is currently available. The service keeps trying.
        case locationUnknown = 0
        /// Access to location services was denied.
        case denied = 1
        /// The network is unavailable, or a network error occurred.
        case network = 2
        /// The heading cannot be determined, for example because of a strong magnetic field.
        case headingFailure = 3
        /// Access to region monitoring was denied.
        case regionMonitoringDenied = 4
        /// The region cannot be monitored because it is too large, or because too many regions are already monitored.
        case regionMonitoringFailure = 5
        /// Region monitoring cannot start immediately, but will start later.
        case regionMonitoringSetupDelayed = 6
        /// Events for a region may be delayed. ``CLError/alternateRegion`` may contain a more suitable region.
        case regionMonitoringResponseDelayed = 7
        /// Geocoding found no result.
        case geocodeFoundNoResult = 8
        /// Geocoding found only a partial result.
        case geocodeFoundPartialResult = 9
        /// The geocoding request was cancelled.
        case geocodeCanceled = 10
        /// Location updates cannot be deferred.
        case deferredFailed = 11
        /// Location updates cannot be deferred because they are not running.
        case deferredNotUpdatingLocation = 12
        /// Location updates cannot be deferred at the requested accuracy.
        case deferredAccuracyTooLow = 13
        /// Location updates cannot be deferred while a distance filter is set.
        case deferredDistanceFiltered = 14
        /// Deferred location updates were cancelled.
        case deferredCanceled = 15
        /// Beacons cannot be ranged because no radio is available, or because the radio is switched off.
        case rangingUnavailable = 16
        /// Beacon ranging failed.
        case rangingFailure = 17
        /// The authorization request was declined, or no prompt could be shown.
        case promptDeclined = 18
        /// Historical locations cannot be read.
        case historicalLocationError = 19

        /// Returns whether an error is a Core Location error with the given code.
        public static func ~= (match: Code, error: any Error) -> Bool { (error as? CLError)?.code == match }
    }

    /// Shorthand for ``Code/locationUnknown``.
    public static var locationUnknown: Code { .locationUnknown }
    /// Shorthand for ``Code/denied``.
    public static var denied: Code { .denied }
    /// Shorthand for ``Code/network``.
    public static var network: Code { .network }
    /// Shorthand for ``Code/headingFailure``.
    public static var headingFailure: Code { .headingFailure }
    /// Shorthand for ``Code/regionMonitoringDenied``.
    public static var regionMonitoringDenied: Code { .regionMonitoringDenied }
    /// Shorthand for ``Code/regionMonitoringFailure``.
    public static var regionMonitoringFailure: Code { .regionMonitoringFailure }
    /// Shorthand for ``Code/regionMonitoringSetupDelayed``.
    public static var regionMonitoringSetupDelayed: Code { .regionMonitoringSetupDelayed }
    /// Shorthand for ``Code/regionMonitoringResponseDelayed``.
    public static var regionMonitoringResponseDelayed: Code { .regionMonitoringResponseDelayed }
    /// Shorthand for ``Code/geocodeFoundNoResult``.
    public static var geocodeFoundNoResult: Code { .geocodeFoundNoResult }
    /// Shorthand for ``Code/geocodeFoundPartialResult``.
    public static var geocodeFoundPartialResult: Code { .geocodeFoundPartialResult }
    /// Shorthand for ``Code/geocodeCanceled``.
    public static var geocodeCanceled: Code { .geocodeCanceled }
    /// Shorthand for ``Code/deferredFailed``.
    public static var deferredFailed: Code { .deferredFailed }
    /// Shorthand for ``Code/deferredNotUpdatingLocation``.
    public static var deferredNotUpdatingLocation: Code { .deferredNotUpdatingLocation }
    /// Shorthand for ``Code/deferredAccuracyTooLow``.
    public static var deferredAccuracyTooLow: Code { .deferredAccuracyTooLow }
    /// Shorthand for ``Code/deferredDistanceFiltered``.
    public static var deferredDistanceFiltered: Code { .deferredDistanceFiltered }
    /// Shorthand for ``Code/deferredCanceled``.
    public static var deferredCanceled: Code { .deferredCanceled }
    /// Shorthand for ``Code/rangingUnavailable``.
    public static var rangingUnavailable: Code { .rangingUnavailable }
    /// Shorthand for ``Code/rangingFailure``.
    public static var rangingFailure: Code { .rangingFailure }
    /// Shorthand for ``Code/promptDeclined``.
    public static var promptDeclined: Code { .promptDeclined }
    /// Shorthand for ``Code/historicalLocationError``.
    public static var historicalLocationError: Code { .historicalLocationError }
}
