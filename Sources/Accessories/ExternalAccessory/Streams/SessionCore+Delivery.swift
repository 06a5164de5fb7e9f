// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Dispatch
import Foundation
import Synchronization

// Where events are told, and telling them.
extension SessionCore {
    /// One event on its way to a delegate.
    private struct Call: @unchecked Sendable {
        // Unchecked: made and used on the thread of the place.
        var direction: Direction
        var event: Stream.Event
        var stream: Stream
        var delegate: any StreamDelegate
    }

    // MARK: Places

    func schedule(_ direction: Direction, in loop: RunLoop, _ mode: RunLoop.Mode) {
        let key = StreamPlace.key(of: loop, mode)
        if add(existing: key, to: direction) { return }
        add(StreamPlace(loop: loop, mode: mode, session: self, device: device), to: direction)
    }

    func remove(_ direction: Direction, from loop: RunLoop, _ mode: RunLoop.Mode) {
        remove(direction, StreamPlace.key(of: loop, mode))
    }

    /// Has both streams tell their events on that queue and nowhere else; nil for nowhere until they are scheduled.
    func setQueue(_ queue: DispatchQueue?) {
        let place = queue.map { StreamPlace(queue: $0, session: self, device: device) }
        for direction in [Direction.input, .output] {
            remove(direction, nil)
            if let place { add(place, to: direction) }
        }
    }

    /// True when the other stream has such a place, which is then for both; or when this one has.
    private func add(existing key: StreamPlace.Key, to direction: Direction) -> Bool {
        let isKnown = state.withLock { state -> Bool in
            if state[direction].events.isClosed || state[direction].places.contains(where: { $0.key == key }) {
                return true
            }
            let other = direction == .input ? state.output : state.input
            guard let place = other.places.first(where: { $0.key == key }) else { return false }
            state[direction].places.append(place)
            return true
        }
        if isKnown {
            signal(direction)
            if direction == .input { lendToPlace() }
        }
        return isKnown
    }

    private func add(_ place: StreamPlace, to direction: Direction) {
        let isTaken = state.withLock { state in
            guard !state[direction].events.isClosed else { return false }
            state[direction].places.append(place)
            return true
        }
        if isTaken { signal(direction) } else { place.invalidate() }
        if direction == .input { lendToPlace() }
    }

    /// Takes a place from a stream; nil for all.
    private func remove(_ direction: Direction, _ key: StreamPlace.Key?) {
        let unused = state.withLock { $0.remove(direction, key) }
        if direction == .input { lendToPlace() }
        for place in unused { place.invalidate() }
    }

    // MARK: Closing

    func close(_ direction: Direction) {
        let error = error(direction)
        let (unused, isLast) = state.withLock { state -> ([StreamPlace], Bool) in
            guard !state[direction].events.isClosed else { return ([], false) }
            state[direction].events.close()
            noteOpenness(direction, state)
            state[direction].error = error
            return (state.remove(direction, nil), state.input.events.isClosed && state.output.events.isClosed)
        }
        if direction == .input { lendToPlace() }
        for place in unused { place.invalidate() }
        if direction == .input { wakeReaders() } else { wakeWriters() }
        if isLast { channel.close() }
    }

    /// The session is gone, or another has its protocol now: both streams are closed, and nothing is told any more.
    func shut() {
        close(.input)
        close(.output)
    }

    /// The session goes, and its streams with it.
    func leave() {
        shut()
        state.withLock { state in
            state.input.stream = nil
            state.output.stream = nil
        }
    }

    // MARK: Telling

    /// Tells what there is to tell to the delegates of the streams that have this place, on its thread.
    /// - Parameter all: Whether all of it is told in this turn, as far as the connection is over: then there is an end.
    func deliver(at place: StreamPlace, all: Bool = false) {
        guard var call = next(at: place, after: nil) else { return }
        let isDone = device.bind {
            var count = 1
            while count < SessionCore.eventsInOneTurn || (all && channel.end != nil) {
                call.delegate.stream(call.stream, handle: call.event)
                guard let following = next(at: place, after: call) else { return true }
                call = following
                count += 1
            }
            call.delegate.stream(call.stream, handle: call.event)
            state.withLock { $0[call.direction].events.finish(call.event) }
            signal(call.direction)
            return false
        }
        if !isDone { place.signal() }
    }

    /// Tells what there is to tell on the main thread, which this is, before the program hears that the accessory is gone.
    func deliverOnMainThread() {
        let places = state.withLock { state in
            state.input.places + state.output.places.filter { place in !state.input.places.contains { $0 === place } }
        }
        for place in places { place.runIfOfMainThread() }
    }

    /// What is told next, once the program has handled what was told before.
    private func next(at place: StreamPlace, after former: Call?) -> Call? {
        let (direction, event) = (former?.direction, former?.event)
        let (call, hasMoved) = state.withLock { state -> (Call?, Bool) in
            var hasMoved = false
            if let direction, let event {
                state[direction].events.finish(event)
                hasMoved = !state[direction].places.contains { $0 === place }
            }
            let first: Direction = state.last == .input ? .output : .input
            return (take(first, at: place, &state) ?? take(state.last, at: place, &state), hasMoved)
        }
        // Its new place has found nothing to tell while the program was busy with the event.
        if hasMoved, let direction { signal(direction) }
        return call
    }

    private func take(_ direction: Direction, at place: StreamPlace, _ state: inout State) -> Call? {
        guard let stream = state[direction].stream, state[direction].places.contains(where: { $0 === place }),
            let event = pending(direction, state),
            // Last, so that it is not let go under the lock. Without one the event waits for one.
            let delegate = state[direction].delegate
        else { return nil }
        state[direction].events.begin(event)
        if event == .errorOccurred, state[direction].error == nil {
            state[direction].error = channel.end?.streamFailure
        }
        state.last = direction
        return Call(
            direction: direction, event: event, stream: stream.value.takeUnretainedValue(), delegate: delegate)
    }
}

extension SessionCore.State {
    /// Takes a place from a stream, or all; returns those that no stream has now.
    fileprivate mutating func remove(_ direction: SessionCore.Direction, _ key: StreamPlace.Key?) -> [StreamPlace] {
        let removed = self[direction].places.filter { key == nil || $0.key == key }
        self[direction].places.removeAll { key == nil || $0.key == key }
        let others = direction == .input ? output.places : input.places
        return removed.filter { place in !others.contains { $0 === place } }
    }
}
