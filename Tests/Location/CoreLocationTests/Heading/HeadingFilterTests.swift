// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CoreLocation

@Suite("Heading filter")
struct HeadingFilterTests {
    private func values(_ heading: Double, accuracy: Double = 5, trueHeading: Double = -1) -> CLHeading.Values {
        CLHeading.Values(magneticHeading: heading, trueHeading: trueHeading, headingAccuracy: accuracy, timestamp: 0)
    }

    /// Returns the headings that pass the filter.
    private func passed(_ headings: [Double], filter: Double) -> [Double] {
        var headingFilter = HeadingFilter()
        return headings.filter { headingFilter.accept(values($0), filter: filter) }
    }

    @Test("The first heading passes, and then each that differs enough from the last one that passed")
    func distance() {
        #expect(passed([10, 14, 15, 19, 20, 16, 15, 14], filter: 5) == [10, 15, 20, 15])
    }

    @Test("Differences are measured along the shorter arc, also across north")
    func wrap() {
        #expect(passed([358, 359.5, 0.5, 3, 2, 358, 180, 355], filter: 5) == [358, 3, 358, 180, 355])
        #expect(passed([0, 359.5, 359], filter: 1) == [0, 359])
    }

    @Test("Without a filter, every heading passes", arguments: [kCLHeadingFilterNone, 0, .nan, -7])
    func none(filter: Double) {
        #expect(passed([1, 1, 1], filter: filter) == [1, 1, 1])
    }

    @Test("A filter of more than 180 degrees passes only the first heading")
    func wide() {
        #expect(passed([1, 90, 181, 270], filter: 181) == [1])
    }

    @Test("A heading passes if its validity changes or if its accuracy halves or doubles")
    func worth() {
        var filter = HeadingFilter()
        let steps: [(CLHeading.Values, Bool)] = [
            (values(0, accuracy: -1), true),
            (values(0, accuracy: -1), false),
            (values(0, accuracy: 20), true),
            (values(0, accuracy: 11), false),
            (values(0, accuracy: 10), true),
            (values(0, accuracy: 19), false),
            (values(0, accuracy: 20), true),
            (values(0, accuracy: 20, trueHeading: 4), true),
            (values(0.5, accuracy: 20, trueHeading: 4.5), false),
            (values(0, accuracy: 20), true),
            (values(0, accuracy: -1), true),
        ]
        for (index, step) in steps.enumerated() {
            #expect(filter.accept(step.0, filter: 5) == step.1, "step \(index)")
        }
    }
}
