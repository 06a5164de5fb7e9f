// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The `NSError` domain of picker errors.
public let EABluetoothAccessoryPickerErrorDomain = "EABluetoothAccessoryPickerErrorDomain"

/// An error reported by a Bluetooth accessory picker.
///
/// As on Apple's platforms, this type is bridged to `NSError`, with the domain
/// ``EABluetoothAccessoryPickerErrorDomain``. Use `as?` to cast from one type to the other. To catch errors of both
/// types, use `catch EABluetoothAccessoryPickerError.resultFailed`.
public struct EABluetoothAccessoryPickerError: Error, CustomNSError, Hashable, Sendable {
    /// The error codes.
    public enum Code: Int, Hashable, Sendable {
        /// The accessory is already connected.
        case alreadyConnected = 0
        /// No accessory was found.
        case resultNotFound = 1
        /// The user cancelled the picker.
        case resultCancelled = 2
        /// The accessory could not be selected.
        case resultFailed = 3

        /// Returns true if `error` is a picker error with this code.
        public static func ~= (match: Code, error: any Error) -> Bool {
            (error as? EABluetoothAccessoryPickerError)?.code == match
        }

        var sentence: String {
            switch self {
            case .alreadyConnected: "The accessory is already connected."
            case .resultNotFound: "No accessory was found."
            case .resultCancelled: "The selection of an accessory was cancelled."
            case .resultFailed:
                "Linux has no picker for Bluetooth accessories. Pair the accessory with bluetoothctl and declare its port."
            }
        }
    }

    /// The error code.
    public let code: Code

    /// The error's user info, including `NSLocalizedDescriptionKey`.
    public var userInfo: [String: Any] { wrapped.userInfo }

    let wrapped: NSError

    /// Creates an error with the given code. A localized description is added unless `userInfo` contains one.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        self.code = code
        let described = userInfo.merging([NSLocalizedDescriptionKey: code.sentence]) { provided, _ in provided }
        wrapped = NSError(domain: EABluetoothAccessoryPickerErrorDomain, code: code.rawValue, userInfo: described)
    }

    init?(wrapping error: NSError) {
        guard error.domain == EABluetoothAccessoryPickerErrorDomain, let code = Code(rawValue: error.code) else {
            return nil
        }
        self.code = code
        wrapped = error
    }

    /// The domain, ``EABluetoothAccessoryPickerErrorDomain``.
    public static var errorDomain: String { EABluetoothAccessoryPickerErrorDomain }

    /// The raw value of ``code``.
    public var errorCode: Int { code.rawValue }

    /// The same dictionary as ``userInfo``.
    public var errorUserInfo: [String: Any] { userInfo }

    /// Returns true if both errors have the same code.
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

// Allows casts between this structure and `NSError`. Without Objective-C, `_ObjectiveCBridgeable` is the only way to do
// this.
extension EABluetoothAccessoryPickerError: _ObjectiveCBridgeable {
    /// Returns the wrapped `NSError`.
    public func _bridgeToObjectiveC() -> NSError { wrapped }

    /// Sets `result` to `nil` if the error has a different domain or an unknown code.
    public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout EABluetoothAccessoryPickerError?) {
        result = EABluetoothAccessoryPickerError(wrapping: source)
    }

    /// Returns false if the error has a different domain or an unknown code.
    public static func _conditionallyBridgeFromObjectiveC(
        _ source: NSError, result: inout EABluetoothAccessoryPickerError?
    ) -> Bool {
        result = EABluetoothAccessoryPickerError(wrapping: source)
        return result != nil
    }

    /// Returns ``Code/resultFailed`` if the error has a different domain or an unknown code.
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> EABluetoothAccessoryPickerError {
        source.flatMap(EABluetoothAccessoryPickerError.init(wrapping:))
            ?? EABluetoothAccessoryPickerError(.resultFailed)
    }
}

/// A completion handler for a Bluetooth accessory picker. The error is `nil` or an ``EABluetoothAccessoryPickerError``.
public typealias EABluetoothAccessoryPickerCompletion = ((any Error)?) -> Void

// These methods are in an extension so that subclasses cannot override them.
extension EAAccessoryManager {
    /// Always reports an error, because Linux has no Bluetooth accessory picker. The error is `alreadyConnected` if the
    /// filter matches the name of a connected accessory, and `resultFailed` otherwise.
    ///
    /// - Parameters:
    ///   - predicate: A filter for accessory names. If `nil`, the error is always `resultFailed`.
    ///   - completion: Called asynchronously on the main thread.
    public func showBluetoothAccessoryPicker(
        withNameFilter predicate: NSPredicate?, completion: EABluetoothAccessoryPickerCompletion? = nil
    ) { client.failPicker(withFilter: predicate, completion) }

    /// Always throws an error, because Linux has no Bluetooth accessory picker. The error is the same as for the method
    /// with a completion handler.
    public nonisolated(nonsending) func showBluetoothAccessoryPicker(withNameFilter predicate: NSPredicate?)
        async throws
    { throw client.pickerError(withFilter: predicate) }
}

extension AccessoryClient {
    fileprivate func pickerError(withFilter predicate: NSPredicate?) -> EABluetoothAccessoryPickerError {
        let isConnected =
            predicate.map { predicate in accessories.contains { predicate.evaluate(with: $0.name) } } ?? false
        return EABluetoothAccessoryPickerError(isConnected ? .alreadyConnected : .resultFailed)
    }

    fileprivate func failPicker(
        withFilter predicate: NSPredicate?, _ completion: EABluetoothAccessoryPickerCompletion?
    ) {
        let error = pickerError(withFilter: predicate)
        guard let completion else { return }
        let pickerCompletion = PickerCompletion(completion: completion)
        onMainThread { pickerCompletion.completion(error) }
    }
}

private struct PickerCompletion: @unchecked Sendable {
    // `@unchecked Sendable` because the handler is called once, on the main thread.
    let completion: EABluetoothAccessoryPickerCompletion
}
