// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// One loop over batches, which ends its subscription when it is released.
final class BatchLoop<Shaper: ReadingShaper> {
    private let consumer: BatchConsumer<Shaper>
    private let missing: String

    /// - Parameter missing: Says what is not there where the device has not what it takes.
    init(_ consumer: BatchConsumer<Shaper>, missing: String) {
        self.consumer = consumer
        self.missing = missing
    }

    deinit {
        consumer.finish()
    }

    /// The next batch; nil when the task is cancelled. Throws when there is no such sensor or it is lost.
    func next() async throws -> Shaper.Value? {
        guard consumer.isAvailable else {
            consumer.finish()
            throw CMErrorNotAvailable.error(missing)
        }
        switch await consumer.next() {
        case .batch(let batch): return batch
        case .end: return nil
        case .failure(let failure):
            consumer.finish()
            throw failure.error
        }
    }
}
