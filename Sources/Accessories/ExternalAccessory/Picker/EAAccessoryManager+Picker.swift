// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Is told how a picker of Bluetooth accessories ended: nil, or an ``EABluetoothAccessoryPickerError``.
public typealias EABluetoothAccessoryPickerCompletion = ((any Error)?) -> Void

// In an extension, so that mocks cannot override it with a form of their own: there is nothing to be picked.
extension EAAccessoryManager {
    /// Would let the user pick a Bluetooth accessory. Linux has nothing to show, so this always ends with an error:
    /// `alreadyConnected` when the filter lets the name of a connected accessory through, else `resultFailed`.
    /// - Parameters:
    ///   - predicate: A filter for names; nil for all, which counts as none chosen.
    ///   - completion: Told on the main thread, never inside this call.
    public func showBluetoothAccessoryPicker(
        withNameFilter predicate: NSPredicate?, completion: EABluetoothAccessoryPickerCompletion? = nil
    ) {
        client.answerPicker(withFilter: predicate, completion)
    }

    /// Would let the user pick a Bluetooth accessory; always throws, as the form with a completion says.
    public nonisolated(nonsending) func showBluetoothAccessoryPicker(withNameFilter predicate: NSPredicate?)
        async throws
    {
        throw client.pickerError(withFilter: predicate)
    }
}

extension AccessoryClient {
    fileprivate func pickerError(withFilter predicate: NSPredicate?) -> EABluetoothAccessoryPickerError {
        let isThere = predicate.map { predicate in accessories.contains { predicate.evaluate(with: $0.name) } } ?? false
        return EABluetoothAccessoryPickerError(isThere ? .alreadyConnected : .resultFailed)
    }

    fileprivate func answerPicker(
        withFilter predicate: NSPredicate?, _ completion: EABluetoothAccessoryPickerCompletion?
    ) {
        let error = pickerError(withFilter: predicate)
        guard let completion else { return }
        let answer = PickerAnswer(completion: completion)
        onMainThread { answer.completion(error) }
    }
}

/// Carries a completion to the main thread.
private struct PickerAnswer: @unchecked Sendable {
    // Unchecked: called once, there, and never here.
    let completion: EABluetoothAccessoryPickerCompletion
}
