// SPDX-License-Identifier: Apache-2.0

import DeviceCore
public import Foundation

// Without Objective-C, Swift casts between a class and a value type through this conformance alone: it is what makes
// `nsError as? CLError`, `error as? NSError` and `catch let error as CLError` work. It is the one that strings and
// arrays have for their Foundation classes.
extension CLError: _ObjectiveCBridgeable {
    /// The error as `NSError`.
    public func _bridgeToObjectiveC() -> NSError { wrapped }

    /// Gives nil for an error of another domain or with an unknown code.
    public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout CLError?) {
        result = CLError(wrapping: source)
    }

    /// False for an error of another domain or with an unknown code.
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSError, result: inout CLError?) -> Bool {
        result = CLError(wrapping: source)
        return result != nil
    }

    /// Gives ``Code/locationUnknown`` for an error of another domain or with an unknown code.
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> CLError {
        source.flatMap(CLError.init(wrapping:)) ?? CLError(.locationUnknown)
    }
}

/// The `NSError` behind a ``CLError``: equal to any other of its domain, code and user information, but with a
/// sentence for the code.
final class LocationNSError: NSError, @unchecked Sendable {
    init(_ code: CLError.Code, userInfo: [String: Any]) {
        super.init(domain: kCLErrorDomain, code: code.rawValue, userInfo: userInfo)
    }

    required init?(coder: NSCoder) {
        super.init(coder: coder)
    }

    override var localizedDescription: String {
        userInfo[NSLocalizedDescriptionKey] as? String
            ?? CLError.Code(rawValue: code)?.sentence
            ?? super.localizedDescription
    }

    override var description: String {
        "Error Domain=\(domain) Code=\(code) \"\(localizedDescription)\""
    }

    /// The code: Foundation's own hash of an error recurses without end on Linux.
    override var hash: Int { code }

    /// Archives are readable without this module.
    override var classForCoder: AnyClass { NSError.self }
}

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

extension CLError {
    /// An error of a device, which stays reachable as the underlying error.
    init(_ code: Code, cause: DeviceError?) {
        guard let cause else {
            self.init(code)
            return
        }
        self.init(code, userInfo: [NSUnderlyingErrorKey: cause, NSLocalizedDescriptionKey: cause.description])
    }
}
