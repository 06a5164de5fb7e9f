// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The domain of Core Location errors that are represented as `NSError`.
public let kCLErrorDomain = "kCLErrorDomain"

/// The key in an error's user information for ``CLError/alternateRegion``.
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
/// As on Apple's platforms, a `CLError` wraps an `NSError` in ``kCLErrorDomain``: either type can be cast to the other
/// with `as?`, and `catch CLError.denied` catches both. An `NSError` with a code that is not in ``Code`` cannot be cast
/// to `CLError`. Safe to use from any thread.
public struct CLError: Error, CustomNSError, Hashable, Sendable {
    /// The error code.
    public let code: Code

    /// The wrapped error, which contains the user information. A cast to `NSError` returns this object.
    let wrapped: NSError

    /// Creates an error, for example `CLError(.denied)`.
    /// - Parameters:
    ///   - code: The error code.
    ///   - userInfo: Additional information, with Foundation's keys for errors or
    ///     ``kCLErrorUserInfoAlternateRegionKey``.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        self.code = code
        wrapped = LocationNSError(code, userInfo: userInfo)
    }

    /// Wraps a Core Location error. Returns nil if the error has a different domain or an unknown code.
    init?(wrapping error: NSError) {
        guard error.domain == kCLErrorDomain, let code = Code(rawValue: error.code) else { return nil }
        self.code = code
        wrapped = error
    }

    /// Additional information about the error.
    public var userInfo: [String: Any] { wrapped.userInfo }

    /// A region close to the requested one that can be monitored better; nil if no such region is known.
    public var alternateRegion: CLRegion? { userInfo[kCLErrorUserInfoAlternateRegionKey] as? CLRegion }

    /// The error domain, ``kCLErrorDomain``.
    public static var errorDomain: String { kCLErrorDomain }

    /// The raw value of ``code``.
    public var errorCode: Int { code.rawValue }

    /// The ``userInfo``, plus a description of the error that Foundation's `localizedDescription` uses.
    public var errorUserInfo: [String: Any] {
        userInfo.merging([NSLocalizedDescriptionKey: code.sentence]) { given, _ in given }
    }

    /// Returns whether both errors have the same code and the same user information.
    public static func == (lhs: CLError, rhs: CLError) -> Bool { lhs.wrapped.isEqual(rhs.wrapped) }

    /// Hashes the code only, because values in the user information may not be hashable.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension CLError {
    /// The codes of Core Location errors. A code can be used as a pattern that matches errors: `catch CLError.denied`.
    public enum Code: Int, Hashable, Sendable {
        /// No position is currently available; the service keeps trying.
        case locationUnknown = 0

        /// The use of location services was denied.
        case denied = 1

        /// The network is not available, or a network error occurred.
        case network = 2

        /// The heading cannot be determined, for example because of a strong magnetic field.
        case headingFailure = 3

        /// The use of region monitoring was denied.
        case regionMonitoringDenied = 4

        /// A region cannot be monitored because it is too large, or because too many regions are monitored.
        case regionMonitoringFailure = 5

        /// Region monitoring cannot be set up immediately and begins later.
        case regionMonitoringSetupDelayed = 6

        /// Events for a region may be delayed; ``CLError/alternateRegion`` may contain a better region.
        case regionMonitoringResponseDelayed = 7

        /// Geocoding found no result.
        case geocodeFoundNoResult = 8

        /// Geocoding found a partial result only.
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

        /// The deferral of location updates was cancelled.
        case deferredCanceled = 15

        /// Beacons cannot be ranged because no radio is available, or because it is switched off.
        case rangingUnavailable = 16

        /// Beacon ranging failed.
        case rangingFailure = 17

        /// The authorization request was declined, or no prompt is available.
        case promptDeclined = 18

        /// Historical locations cannot be read.
        case historicalLocationError = 19

        /// Returns whether an error is a Core Location error with this code, either as ``CLError`` or as `NSError`.
        public static func ~= (match: Code, error: any Error) -> Bool { (error as? CLError)?.code == match }
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
