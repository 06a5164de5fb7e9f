// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

internal import DeviceCore

extension IIOStampRepair {
    /// Corrects stamps and makes those rise that do not; returns how many were made anew.
    ///
    /// Stamps that do not rise belong to one reading of a FIFO: the newest of them is right, the others lie before it.
    mutating func straighten(_ times: UnsafeMutableBufferPointer<BootTime>, notAfter arrival: BootTime) -> Int {
        // Nothing was measured after it came in; one stamp that says so must not hold back all that follow.
        func corrected(_ place: Int) -> Int64 {
            min(times[place].nanoseconds.addingSaturated(correction), arrival.nanoseconds)
        }
        var rebuilt = 0
        var start = 0
        while start < times.count {
            let floor = last?.nanoseconds ?? .min
            var end = start
            while end < times.count, corrected(end) <= floor { end += 1 }
            // Without any stamp that rises, the samples go on from the last, as far as there is time until now.
            var newest: Int64
            if end < times.count {
                newest = corrected(end)
            } else {
                end = times.count - 1
                let length = (interval ?? IIOInterval.standard) * Double(times.count - start)
                newest = min(floor.addingSaturated(Self.whole(length)), arrival.nanoseconds)
            }
            while end + 1 < times.count, corrected(end + 1) <= newest { end += 1 }
            if start == end, newest > floor {
                if newest != times[start].nanoseconds { times[start] = BootTime(nanoseconds: newest) }
                last = times[start]
            } else {
                spread(times, start..<end + 1, end: newest)
                rebuilt += end + 1 - start
            }
            start = end + 1
        }
        return rebuilt
    }

    /// Spaces stamps evenly up to `end`, one interval apart or closer, after the last stamp that was handed out.
    mutating func spread(_ times: UnsafeMutableBufferPointer<BootTime>, _ range: Range<Int>, end: Int64) {
        var newest = end
        var step = interval ?? IIOInterval.standard
        if let last {
            let count = Int64(range.count)
            newest = max(newest, last.nanoseconds.addingSaturated(count))
            let room = newest.subtractingSaturated(last.nanoseconds)
            step = max(1, min(step, Double(room) / Double(count)))
        }
        for place in range {
            let before = step * Double(range.upperBound - 1 - place)
            times[place] = BootTime(nanoseconds: newest.subtractingSaturated(Self.whole(before)))
        }
        last = BootTime(nanoseconds: newest)
    }

    /// Nanoseconds without their fraction, held well within Int64.
    private static func whole(_ nanoseconds: Double) -> Int64 { Int64(min(nanoseconds, 9e18)) }
}
