// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Without Objective-C, Swift casts between a class and a value type through this conformance alone.
extension EABluetoothAccessoryPickerError: _ObjectiveCBridgeable {
    /// The error as `NSError`.
    public func _bridgeToObjectiveC() -> NSError { wrapped }

    /// Gives nil for an error of another domain or with an unknown code.
    public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout EABluetoothAccessoryPickerError?) {
        result = EABluetoothAccessoryPickerError(wrapping: source)
    }

    /// False for an error of another domain or with an unknown code.
    public static func _conditionallyBridgeFromObjectiveC(
        _ source: NSError, result: inout EABluetoothAccessoryPickerError?
    ) -> Bool {
        result = EABluetoothAccessoryPickerError(wrapping: source)
        return result != nil
    }

    /// Gives ``Code/resultFailed`` for an error of another domain or with an unknown code.
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> EABluetoothAccessoryPickerError {
        source.flatMap(EABluetoothAccessoryPickerError.init(wrapping:))
            ?? EABluetoothAccessoryPickerError(.resultFailed)
    }
}
