// SPDX-License-Identifier: Apache-2.0

import DeviceCore
public import Foundation

// Without the Objective-C runtime, casts between `CLError` and `NSError` require this conformance: for example,
// `nsError as? CLError`, `error as? NSError` and `catch let error as CLError`.
extension CLError: _ObjectiveCBridgeable {
    /// Returns the error as an `NSError`.
    public func _bridgeToObjectiveC() -> NSError { wrapped }

    /// Converts an `NSError` to a `CLError`. Sets `result` to nil if the error has a different domain or an unknown
    /// code.
    public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout CLError?) {
        result = CLError(wrapping: source)
    }

    /// Converts an `NSError` to a `CLError`. Returns false if the error has a different domain or an unknown code.
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSError, result: inout CLError?) -> Bool {
        result = CLError(wrapping: source)
        return result != nil
    }

    /// Converts an `NSError` to a `CLError`. The result has the code ``Code/locationUnknown`` if the error has a
    /// different domain or an unknown code.
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> CLError {
        source.flatMap(CLError.init(wrapping:)) ?? CLError(.locationUnknown)
    }
}

/// The `NSError` that a ``CLError`` wraps.
final class LocationNSError: NSError, @unchecked Sendable {
    init(_ code: CLError.Code, userInfo: [String: Any]) {
        super.init(domain: kCLErrorDomain, code: code.rawValue, userInfo: userInfo)
    }

    required init?(coder: NSCoder) { super.init(coder: coder) }

    override var localizedDescription: String {
        userInfo[NSLocalizedDescriptionKey] as? String ?? CLError.Code(rawValue: code)?.sentence
            ?? super.localizedDescription
    }

    override var description: String { "Error Domain=\(domain) Code=\(code) \"\(localizedDescription)\"" }

    /// Foundation's `NSError.hash` recurses endlessly on Linux, so the hash is the error code.
    override var hash: Int { code }

    /// Archives the error as a plain `NSError`, so that the archive can be read without this module.
    override var classForCoder: AnyClass { NSError.self }
}

extension CLError {
    /// The description in ``userInfo``, or a general description of the code if there is none.
    public var localizedDescription: String { userInfo[NSLocalizedDescriptionKey] as? String ?? code.sentence }

    init(_ code: Code, cause: DeviceError?) {
        self = cause.map { .withDescription(code, $0.description, cause: $0) } ?? CLError(code)
    }

    static func withDescription(_ code: Code, _ sentence: String, cause: (any Error)? = nil) -> CLError {
        var userInfo: [String: Any] = [NSLocalizedDescriptionKey: sentence]
        userInfo[NSUnderlyingErrorKey] = cause
        return CLError(code, userInfo: userInfo)
    }
}

extension CLError.Code {
    var sentence: String {
        switch self {
        case .locationUnknown: "The location is currently unknown."
        case .denied: "The use of location services was denied."
        case .network: "The network could not be reached."
        case .headingFailure: "The heading could not be determined because of magnetic interference."
        case .regionMonitoringDenied: "The use of region monitoring was denied."
        case .regionMonitoringFailure: "The region cannot be monitored."
        case .regionMonitoringSetupDelayed: "Region monitoring could not be set up immediately."
        case .regionMonitoringResponseDelayed: "Events of the monitored region may arrive late."
        case .geocodeFoundNoResult: "No place was found for the geocoding request."
        case .geocodeFoundPartialResult: "Only part of the place was found for the geocoding request."
        case .geocodeCanceled: "The geocoding request was cancelled."
        case .deferredFailed: "Location updates cannot be deferred."
        case .deferredNotUpdatingLocation:
            "Location updates cannot be deferred because they are not running or are paused."
        case .deferredAccuracyTooLow: "Location updates cannot be deferred at the requested accuracy."
        case .deferredDistanceFiltered: "Location updates cannot be deferred while a distance filter is set."
        case .deferredCanceled: "The deferral of location updates was cancelled."
        case .rangingUnavailable: "Beacons cannot be ranged on this device."
        case .rangingFailure: "Beacon ranging failed."
        case .promptDeclined: "The request for authorization was declined or could not be shown."
        case .historicalLocationError: "Past locations could not be read."
        }
    }
}
