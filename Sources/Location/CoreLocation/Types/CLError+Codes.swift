// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

extension CLError {
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
