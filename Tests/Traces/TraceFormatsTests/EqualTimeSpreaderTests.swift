// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TraceFormats

@Suite("Spreading items of equal time")
struct EqualTimeSpreaderTests {
    /// Spreads items with the given times. Returns the new times in nanoseconds, and the order of the items.
    private func spread(_ times: [Int64?]) -> (times: [Int64], order: [Int]) {
        var spreader = EqualTimeSpreader<Int>()
        var result: [(Int, Int64)] = []
        for (index, time) in times.enumerated() { spreader.append(index, at: time) { result.append(($0, $1)) } }
        spreader.finish { result.append(($0, $1)) }
        return (result.map(\.1), result.map(\.0))
    }

    @Test("Items within one whole second are spread over it evenly")
    func wholeSecond() {
        let result = spread([0, 0, 0, 0, 1_000_000_000])
        #expect(result.times == [0, 250_000_000, 500_000_000, 750_000_000, 1_000_000_000])
        #expect(result.order == [0, 1, 2, 3, 4])
    }

    @Test("Items share the interval to the next time, at most a second")
    func intervals() {
        #expect(spread([0, 0, 400_000_000]).times == [0, 200_000_000, 400_000_000])
        #expect(spread([0, 0, 60_000_000_000]).times == [0, 500_000_000, 60_000_000_000])
        #expect(spread([7, 7]).times == [7, 500_000_007])
    }

    @Test("Different times are kept, even if they decrease")
    func distinctTimes() {
        let times: [Int64?] = [5, 9, 3, 3 + 1_000_000_000]
        let result = spread(times)
        #expect(result.times == times)
    }

    @Test("A run of any length keeps its order within its second and needs bounded memory")
    func longRun() {
        let count = EqualTimeSpreader<Int>.maximumItems * 3 + 5
        let result = spread(Array(repeating: 10, count: count) + [1_000_000_010])
        #expect(result.order == Array(0...count))
        #expect(result.times == result.times.sorted())
        #expect(Set(result.times).count == count + 1)
        #expect(result.times.last == 1_000_000_010)
    }

    @Test("Large items are released when their total size reaches the bound")
    func largeItems() {
        var spreader = EqualTimeSpreader<Int>()
        var (complete, maximumHeld) = (0, 0)
        for index in 0..<1000 {
            spreader.append(index, at: 10, size: EqualTimeSpreader<Int>.maximumItems / 4) { _, _ in complete += 1 }
            maximumHeld = max(maximumHeld, index + 1 - complete)
        }
        #expect(maximumHeld == 4)
        spreader.finish { _, _ in complete += 1 }
        #expect(complete == 1000)
    }

    @Test("Items without a time are placed between items with a time, which keep theirs")
    func withoutTime() {
        let second: Int64 = 1_000_000_000
        #expect(spread([0, nil, nil, nil, 4 * second]).times == [0, 1, 2, 3, 4].map { $0 * second })
        #expect(
            spread([0, 0, nil, 50 * second]).times == [0, second / 3, (50 * second + second / 3) / 2, 50 * second])
        // The next time is missing or earlier.
        #expect(spread([5, nil, nil]).times == [5, second + 5, 2 * second + 5])
        #expect(spread([3 * second, nil, second]).times == [3 * second, 4 * second, second])
        #expect(spread([.max, nil, nil]).times == [.max, .max, .max])
    }

    @Test("Times at the ends of the range neither overflow nor trap")
    func extremes() {
        #expect(spread([.max, .max]).times.count == 2)
        #expect(spread([.min, .min, .max]).times == [Int64.min, Int64.min + 500_000_000, .max])
    }
}
