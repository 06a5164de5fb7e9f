// SPDX-License-Identifier: Apache-2.0

import Synchronization
import SystemCalls

/// Actions that restore kernel settings if the process exits while sensors are in use. The kernel keeps a buffer
/// enabled after its device node has been closed, even if the process has ended. The chip then continues to trigger
/// interrupts, and other programs that read the sensor receive EBUSY. Threads that close buffers do not survive `exit`,
/// so an exit handler disables the buffers. A killed process runs no exit handler; `sensorctl doctor` reports buffers
/// that were left enabled.
final class ExitActions: Sendable {
    static let shared: ExitActions = {
        atexit { ExitActions.shared.runAll() }
        return ExitActions()
    }()

    /// The maximum time for which `exit` waits for changes in progress, in milliseconds.
    private static let maximumWait = 1000

    private struct State {
        var actions: [(id: Int, run: @Sendable () -> Void)] = []
        var nextID = 0
        var changes = 0
        var isExiting = false
    }

    private let state = Mutex(State())

    /// Adds an action, and then calls `change`, which changes the settings that the action restores. Returns the ID of
    /// the action for ``remove(_:)``, and the result of `change`. Throws ECANCELED if the process is already exiting.
    func add<Result>(
        _ action: @escaping @Sendable () -> Void, change: () throws(IIOFailure) -> Result
    ) throws(IIOFailure) -> (id: Int, result: Result) {
        let id = state.withLock { state -> Int? in
            guard !state.isExiting else { return nil }
            state.nextID += 1
            state.changes += 1
            state.actions.append((state.nextID, action))
            return state.nextID
        }
        guard let id else { throw IIOFailure("exit", ECANCELED) }
        defer { state.withLock { $0.changes -= 1 } }
        do throws(IIOFailure) {
            return (id, try change())
        } catch {
            remove(id)
            throw error
        }
    }

    func remove(_ id: Int) { state.withLock { $0.actions.removeAll { $0.id == id } } }

    /// Rejects further changes, waits for changes in progress, and runs the actions in reverse order.
    func runAll() {
        state.withLock { $0.isExiting = true }
        for _ in 0..<Self.maximumWait where state.withLock({ $0.changes > 0 }) { usleep(1000) }
        for action in state.withLock({ $0.actions }).reversed() { action.run() }
    }
}
