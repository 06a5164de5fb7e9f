// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import Synchronization
import SystemCalls
import Trace

/// Methods that retain events for a trigger and give access to the segments. They may be called from any thread.
extension TraceRing {
    /// The current time in nanoseconds since the start of the recording.
    package var now: Int64 {
        let start = state.withLock { $0.header?.start?.boot.nanoseconds ?? 0 }
        return max(0, clock.now.nanoseconds.subtractingSaturated(start))
    }

    /// Keeps all events since the given time. The next segment's header will list `triggers`, the triggers of the
    /// pending trace. `time` may be later than in the previous call, but not later than the start of a trace that is
    /// being saved, because that trace's segments may not be pinned yet.
    func retain(since time: Int64, for triggers: [RingTrigger]) {
        state.withLock { state in
            state.segmentList.retainedSince = time
            state.triggers = triggers
            // After the first trigger, a new segment begins, and its header lists the trigger. Later triggers are
            // listed in the next regular segment, so that many triggers do not cause many segments.
            if triggers.count == 1 { endSegment(&state) }
        }
    }

    /// Stops retaining events and clears the triggers, so that old segments can be removed again.
    func endRetention() {
        state.withLock { state in
            state.segmentList.retainedSince = nil
            state.triggers = []
        }
    }

    /// Returns the paths of all segments, and keeps the segments until ``endReading()`` is called. New events are
    /// written to a new segment. Only one caller at a time may read the ring.
    func beginReading() -> [String] {
        state.withLock { state in
            endSegment(&state)
            state.segmentList.lastPinnedSegment = state.segmentList.segments.last?.number
            return state.segmentList.segments.map { folder.segmentPath($0.number) }
        }
    }

    func endReading() { state.withLock { $0.segmentList.lastPinnedSegment = nil } }

    /// Removes the segments of this ring, and the directory if that leaves it empty. The ring must be closed.
    package func discard() throws(DeviceError) {
        for number in try folder.numbers() { try folder.remove(number) }
        folder.removeIfEmpty()
    }

    /// Saves the segments of earlier recorders, oldest first, and reports each result. May run concurrently with
    /// recording. `freeSpace` returns the free space at a path in bytes, or nil if unknown.
    func saveLeftovers(
        freeSpace: (String) -> Int64? = RingLeftover.freeSpace(at:),
        _ handler: (Result<RingLeftover, DeviceError>) -> Void
    ) {
        do throws(DeviceError) {
            for leftover in try folder.leftovers() {
                do throws(DeviceError) {
                    handler(
                        .success(
                            try RingLeftover.save(
                                leftover, of: folder, to: location,
                                freeSpace: freeSpace(ExclusiveFile.split(location.ringDirectory).folder))))
                } catch {
                    handler(.failure(error))
                }
            }
            try folder.sync()
        } catch {
            handler(.failure(error))
        }
    }
}
