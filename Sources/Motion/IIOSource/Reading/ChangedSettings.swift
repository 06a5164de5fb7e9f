// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Logging
import Synchronization

/// The rate and clock attributes that a reader task has changed. They are restored when the task ends. On a local
/// device, they are also restored if the process exits earlier. An attribute that another program has changed in the
/// meantime is not restored.
final class ChangedSettings: Sendable {
    private struct Change {
        let path: IIOAttributePath
        let original: String
        let current: String
    }

    private struct State {
        var changes: [Change] = []
        var exitActions: [Int] = []
    }

    private let connection: any IIOConnection
    private let isLocal: Bool
    private let exitActions: ExitActions
    private let state = Mutex(State())

    init(_ connection: any IIOConnection, isLocal: Bool, exitActions: ExitActions = .shared) {
        (self.connection, self.isLocal, self.exitActions) = (connection, isLocal, exitActions)
    }

    /// Writes an attribute and reads it back, because drivers may round the value. Returns the resulting value.
    func write(_ value: String, to attributePath: IIOAttributePath, from original: String?) throws(IIOFailure) -> String
    {
        guard isLocal, let original else { return try change(attributePath, from: original, to: value) }
        let (action, current) = try exitActions.add { [self] in
            restore()
        } change: { () throws(IIOFailure) in
            try change(attributePath, from: original, to: value)
        }
        state.withLock { $0.exitActions.append(action) }
        return current
    }

    private func change(
        _ attributePath: IIOAttributePath, from original: String?, to value: String
    ) throws(IIOFailure) -> String {
        try connection.write(value, to: attributePath)
        let current = (try? connection.read(attributePath)) ?? value
        if let original, original != current {
            state.withLock { $0.changes.append(Change(path: attributePath, original: original, current: current)) }
        }
        return current
    }

    func restore() {
        // The lock is held until all attributes are restored, so that a concurrent call to `exit` waits.
        let (actions, problems) = state.withLock { state in
            let problems = state.changes.reversed().compactMap { restore($0) }
            state.changes = []
            return (exchange(&state.exitActions, with: []), problems)
        }
        for action in actions { exitActions.remove(action) }
        for problem in problems { Logger(label: "device-services.motion").notice("\(problem)") }
    }

    /// If the attribute could not be restored even though the device is still connected, returns an error message.
    private func restore(_ change: Change) -> String? {
        do throws(IIOFailure) {
            guard try connection.read(change.path) == change.current else { return nil }
            try connection.write(change.original, to: change.path)
            return nil
        } catch {
            guard !error.isDeviceRemoved, !error.isConnectionLoss else { return nil }
            return
                "\(change.path.name) could not be restored to \(change.original): \(DeviceError.text(errno: error.number))."
        }
    }
}
