// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

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
