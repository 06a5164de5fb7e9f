// SPDX-License-Identifier: Apache-2.0

import Synchronization
import SystemCalls

/// Restores kernel settings if the process exits while sensors are in use. The kernel keeps a buffer enabled even after
/// the process has ended. As a result, the chip continues to trigger interrupts, and other programs that read the
/// sensor receive EBUSY. A killed process runs no actions, but `sensorctl doctor` reports buffers that were left
/// enabled.
final class ExitActions: Sendable {
    static let shared: ExitActions = {
        atexit { ExitActions.shared.runAll() }
        return ExitActions()
    }()

    /// The maximum time that `exit` waits for pending changes, in milliseconds.
    private static let maximumWait = 1000

    private struct State {
        var actions: [(id: Int, run: @Sendable () -> Void)] = []
        var nextID = 0
        var pendingChanges = 0
        var isExiting = false
    }

    private let state = Mutex(State())

    /// Registers an action that reverts a change, and then makes the change by calling `change`. Throws ECANCELED if
    /// the process is already exiting.
    func add<Result>(
        _ action: @escaping @Sendable () -> Void, change: () throws(IIOFailure) -> Result
    ) throws(IIOFailure) -> (id: Int, result: Result) {
        guard let id = beginChange(action) else { throw IIOFailure("exit", ECANCELED) }
        defer { state.withLock { $0.pendingChanges -= 1 } }
        do throws(IIOFailure) {
            return (id, try change())
        } catch {
            remove(id)
            throw error
        }
    }

    /// Registers the action and returns its ID, or nil if the process is already exiting.
    private func beginChange(_ action: @escaping @Sendable () -> Void) -> Int? {
        state.withLock { state in
            guard !state.isExiting else { return nil }
            state.nextID += 1
            state.pendingChanges += 1
            state.actions.append((state.nextID, action))
            return state.nextID
        }
    }

    func remove(_ id: Int) { state.withLock { $0.actions.removeAll { $0.id == id } } }

    func runAll() {
        state.withLock { $0.isExiting = true }
        for _ in 0..<Self.maximumWait where state.withLock({ $0.pendingChanges > 0 }) { usleep(1000) }
        for action in state.withLock({ $0.actions }).reversed() { action.run() }
    }
}
