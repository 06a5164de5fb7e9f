// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import SystemCalls

/// The time in which the program waits for its input. Nothing has been printed yet, so a signal may end it at once.
final class ReadingPhase: Sendable {
    private let isReading = Mutex(false)

    func during<Result>(_ body: () throws -> Result) rethrows -> Result {
        isReading.withLock { $0 = true }
        defer { isReading.withLock { $0 = false } }
        return try body()
    }

    /// Ends the program with success if it is reading.
    func endIfReading() {
        if isReading.withLock({ $0 }) { exit(ExitStatus.success.rawValue) }
    }
}
