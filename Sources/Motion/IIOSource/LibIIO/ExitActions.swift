// SPDX-License-Identifier: Apache-2.0

import Synchronization
import SystemCalls

/// Actions that restore the kernel's settings if the process exits while sensors are in use.
///
/// The kernel keeps a buffer enabled when its device node is closed, even when the process ends: the chip goes on to
/// interrupt, and its values are EBUSY for other programs. Threads that close buffers do not outlive `exit`, so an exit
/// handler does their work. A process that is killed runs no exit handler; `sensorctl doctor` reports what it left.
final class ExitActions: Sendable {
    /// The actions of this process, which run at its exit.
    static let shared: ExitActions = {
        atexit { ExitActions.shared.run() }
        return ExitActions()
    }()

    /// The longest time, in milliseconds, that `exit` waits for buffers that are being enabled.
    private static let maximumWait = 1000

    private struct State {
        /// The actions, in the order in which they were added.
        var actions: [(id: Int, run: @Sendable () -> Void)] = []
        var nextID = 0
        /// The number of settings that are being changed.
        var changes = 0
        var isExiting = false
    }

    private let state = Mutex(State())

    /// Adds an action, and then changes the settings that it restores.
    ///
    /// - Parameter change: Is not called when the process exits already; ECANCELED is thrown instead.
    /// - Returns: The number of the action, for ``remove(_:)``, and the result of the change.
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

    /// Removes an action, after its settings were restored.
    func remove(_ id: Int) { state.withLock { $0.actions.removeAll { $0.id == id } } }

    /// Waits for changes in progress, refuses further ones, and runs the actions, the last one first.
    func run() {
        state.withLock { $0.isExiting = true }
        for _ in 0..<Self.maximumWait where state.withLock({ $0.changes > 0 }) { usleep(1000) }
        for action in state.withLock({ $0.actions }).reversed() { action.run() }
    }
}
