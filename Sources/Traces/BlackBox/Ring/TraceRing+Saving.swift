// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import Synchronization
import SystemCalls
import Trace

extension TraceRing {
    // MARK: Triggers and saving

    /// The time of the recording that it is now, in nanoseconds.
    package var now: Int64 {
        let start = state.withLock { $0.header?.start?.boot.nanoseconds ?? 0 }
        return max(0, clock.now.nanoseconds.subtractingSaturated(start))
    }

    /// Keeps all from that time on, however old it grows, and notes what for, also on the disk.
    func keep(from time: Int64, for triggers: [RingTrigger]) {
        state.withLock { state in
            state.ledger.keptFrom = time
            state.triggers = triggers
            // The next segment says so. Further triggers wait for theirs: a storm of them must not be one of segments.
            if triggers.count == 1 { endSegment(&state) }
        }
    }

    /// Lets go of what is older than the ring again.
    func letGo() {
        state.withLock { state in
            state.ledger.keptFrom = nil
            state.triggers = []
        }
    }

    /// The paths of all segments, which stay until ``endReading()``. What is recorded meanwhile goes into others.
    func beginReading() -> [String] {
        state.withLock { state in
            endSegment(&state)
            state.ledger.pinned = state.ledger.segments.last?.number
            return state.ledger.segments.map { folder.file($0.number) }
        }
    }

    /// The segments have been read.
    func endReading() { state.withLock { $0.ledger.pinned = nil } }

    /// Removes all segments, and the folder unless a former recorder's are in it. To be called when it is closed.
    package func discard() throws(DeviceError) {
        for number in try folder.numbers() { try folder.remove(number) }
        folder.removeIfEmpty()
    }

    /// Saves what former recorders have left behind, oldest first, and tells what came of each. It is done beside recording,
    /// for it takes as long as reading and writing that much does.
    ///
    /// - Parameter room: tells the bytes that the file system of a path has left.
    func saveLeftovers(
        room: (String) -> Int64? = RingLeftover.room(at:), _ told: (Result<RingLeftover, DeviceError>) -> Void
    ) {
        do throws(DeviceError) {
            for former in try folder.formers() {
                do throws(DeviceError) {
                    told(
                        .success(
                            try RingLeftover.save(
                                former, of: folder, to: place, room: room(NewFile.split(place.ring).folder))))
                } catch {
                    told(.failure(error))
                }
            }
            try folder.sync()
        } catch {
            told(.failure(error))
        }
    }
}
