// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat
import Testing

@Suite("Text of available rates")
struct RatesTextTests {
    @Test(
        "Lists are sorted, and invalid rates are ignored",
        arguments: [
            ("10 20 50", [10, 20, 50]), ("100.000000 12.500000\n\u{0}", [12.5, 100]), ("  25\t12.5  25 ", [12.5, 25]),
            ("0 12 ERROR nan 26 -5 1e99", [12, 26]), ("12.5, 25, 50", [12.5, 25, 50]), ("50,100", [50, 100]),
        ])
    func lists(text: String, rates: [Double]) {
        #expect(SensorRates(text) == .list(rates))
    }

    @Test("A range has a minimum, a step and a maximum")
    func ranges() {
        #expect(SensorRates("[4 1 1000]\n") == .range(minimum: 4, step: 1, maximum: 1000))
        #expect(SensorRates("[0.5 0.25 200.0]").rate(atLeast: 0.6) == 0.75)
        #expect(SensorRates("[ 1 0 10 ]") == .range(minimum: 1, step: 0, maximum: 10))
    }

    @Test(
        "Invalid text yields unknown rates",
        arguments: ["", "ERROR", "0", "[1 2]", "[10 1 5]", "[1 1 10", "[a b c]", "[1 -1 10]", "[1 2 3 4]", "[0 0 0]"])
    func unknown(text: String) {
        #expect(SensorRates(text) == .unknown)
    }

    @Test("The length of a list is bounded")
    func bounded() {
        guard case .list(let rates) = SensorRates((1...1000).map(String.init).joined(separator: " ")) else {
            Issue.record("no list")
            return
        }
        #expect(rates.count == 256)
    }
}
