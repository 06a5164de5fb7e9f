// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A completion handler for a Bluetooth accessory picker. The error is nil or an ``EABluetoothAccessoryPickerError``.
public typealias EABluetoothAccessoryPickerCompletion = ((any Error)?) -> Void

// In an extension, so that subclasses cannot override these methods.
extension EAAccessoryManager {
    /// Fails: Linux has no Bluetooth accessory picker. The error is `alreadyConnected` if the filter accepts the name
    /// of a connected accessory, and `resultFailed` otherwise.
    ///
    /// - Parameters:
    ///   - predicate: A filter for accessory names. With nil, the error is always `resultFailed`.
    ///   - completion: Called asynchronously on the main thread.
    public func showBluetoothAccessoryPicker(
        withNameFilter predicate: NSPredicate?, completion: EABluetoothAccessoryPickerCompletion? = nil
    ) {
        client.failPicker(withFilter: predicate, completion)
    }

    /// Throws the error that the method with a completion handler reports.
    public nonisolated(nonsending) func showBluetoothAccessoryPicker(withNameFilter predicate: NSPredicate?)
        async throws
    {
        throw client.pickerError(withFilter: predicate)
    }
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
        let answer = PickerCompletion(completion: completion)
        onMainThread { answer.completion(error) }
    }
}

/// A wrapper that transfers the completion handler to the main thread.
private struct PickerCompletion: @unchecked Sendable {
    // Unchecked because the handler is called once, on the main thread.
    let completion: EABluetoothAccessoryPickerCompletion
}
