// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The domain of the picker's errors as `NSError`.
public let EABluetoothAccessoryPickerErrorDomain = "EABluetoothAccessoryPickerErrorDomain"

/// Why a picker of Bluetooth accessories gave none.
///
/// As on Apple's platforms it is the Swift face of an `NSError` in ``EABluetoothAccessoryPickerErrorDomain``: either can
/// be cast to the other with `as?`, and `catch EABluetoothAccessoryPickerError.resultFailed` catches both.
public struct EABluetoothAccessoryPickerError: Error, CustomNSError, Hashable, Sendable {
    /// The reasons.
    public enum Code: Int, Hashable, Sendable {
        /// The accessory is connected already.
        case alreadyConnected = 0
        /// No accessory was found.
        case resultNotFound = 1
        /// The user has cancelled.
        case resultCancelled = 2
        /// An accessory could not be picked.
        case resultFailed = 3

        /// Whether an error is one of a picker with this code.
        public static func ~= (match: Code, error: any Error) -> Bool {
            (error as? EABluetoothAccessoryPickerError)?.code == match
        }

        var sentence: String {
            switch self {
            case .alreadyConnected: "The accessory is connected already."
            case .resultNotFound: "No accessory was found."
            case .resultCancelled: "Picking an accessory was cancelled."
            case .resultFailed:
                "There is no picker of Bluetooth accessories on Linux: pair the accessory with bluetoothctl and declare its port."
            }
        }
    }

    /// The reason.
    public let code: Code

    /// More about it, under Foundation's keys for errors.
    public var userInfo: [String: Any] { wrapped.userInfo }

    let wrapped: NSError

    /// An error with that reason.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        self.code = code
        let described = userInfo.merging([NSLocalizedDescriptionKey: code.sentence]) { given, _ in given }
        wrapped = NSError(domain: EABluetoothAccessoryPickerErrorDomain, code: code.rawValue, userInfo: described)
    }

    init?(wrapping error: NSError) {
        guard error.domain == EABluetoothAccessoryPickerErrorDomain, let code = Code(rawValue: error.code) else {
            return nil
        }
        self.code = code
        wrapped = error
    }

    /// ``EABluetoothAccessoryPickerErrorDomain``.
    public static var errorDomain: String { EABluetoothAccessoryPickerErrorDomain }

    /// The raw value of ``code``.
    public var errorCode: Int { code.rawValue }

    /// ``userInfo``.
    public var errorUserInfo: [String: Any] { userInfo }

    /// Whether two errors have the same code.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.code == rhs.code }

    /// Hashes the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }

    /// The code ``Code/alreadyConnected``.
    public static var alreadyConnected: Code { .alreadyConnected }

    /// The code ``Code/resultNotFound``.
    public static var resultNotFound: Code { .resultNotFound }

    /// The code ``Code/resultCancelled``.
    public static var resultCancelled: Code { .resultCancelled }

    /// The code ``Code/resultFailed``.
    public static var resultFailed: Code { .resultFailed }
}

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
