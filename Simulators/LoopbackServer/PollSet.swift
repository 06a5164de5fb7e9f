// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
package import SystemCalls

/// The descriptors that a server's thread polls in addition to its wakeup pipe. Descriptors are numbered from 0 in the
/// order of the `add` calls. In each iteration, the thread calls `begin`, `add` and `wait`.
package struct PollSet {
    private let wakeUp: WakeupPipe
    private let clock: LiveClock
    private var descriptors: [pollfd] = []
    private var deadline = BootTime.never

    package init(wakeUp: WakeupPipe, clock: LiveClock) { (self.wakeUp, self.clock) = (wakeUp, clock) }

    package mutating func begin(deadline: BootTime = .never) {
        descriptors.removeAll(keepingCapacity: true)
        descriptors.append(pollfd(fd: wakeUp.readEnd, events: Int16(POLLIN), revents: 0))
        self.deadline = deadline
    }

    /// Adds a descriptor. A nil descriptor occupies an index but is not polled.
    package mutating func add(_ descriptor: Int32?, events: Int16 = Int16(POLLIN)) {
        descriptors.append(pollfd(fd: descriptor ?? -1, events: events, revents: 0))
    }

    package mutating func add(_ interest: pollfd) { descriptors.append(interest) }

    package mutating func expire(at time: BootTime) { deadline = min(deadline, time) }

    /// Waits until a descriptor is ready or the deadline has passed. May also return earlier, so the caller must check
    /// the time. If the deadline ends the wait, this function returns at most 1 ms late, or a few microseconds late if
    /// `isPrecise` is true.
    package mutating func wait(isPrecise: Bool = false) {
        var milliseconds: Int32 = -1
        var rest: Int64 = 0
        if deadline != .never {
            rest = max(0, deadline.nanoseconds.subtractingSaturated(clock.now.nanoseconds))
            let rounding: Int64 = isPrecise ? 0 : 999_999
            milliseconds = Int32(min(rest.addingSaturated(rounding) / 1_000_000, 60_000))
        }
        let ready = poll(&descriptors, nfds_t(descriptors.count), milliseconds)
        if ready < 0 { for index in descriptors.indices { descriptors[index].revents = 0 } }
        if ready == 0, milliseconds == 0, rest > 0 {
            var time = timespec(tv_sec: 0, tv_nsec: Int(rest))
            nanosleep(&time, nil)
        }
        if descriptors.first?.revents != 0 { wakeUp.drain() }
    }

    /// The events reported for a descriptor, or 0 if it was not polled.
    package subscript(number: Int) -> Int16 { number + 1 < descriptors.count ? descriptors[number + 1].revents : 0 }
}
