// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing

@Suite("Sensor rates")
struct SensorRatesTests {
    @Test("The lowest sufficient rate is selected, or else the highest")
    func list() {
        let rates = SensorRates.list([12.5, 26, 52, 104])
        #expect(rates.rate(atLeast: 0) == 12.5)
        #expect(rates.rate(atLeast: 26) == 26)
        #expect(rates.rate(atLeast: 1 / 0.02) == 52)
        #expect(rates.rate(atLeast: 100) == 104)
        #expect(rates.rate(atLeast: 1000) == 104)
        #expect(rates.maximum == 104)
        #expect(SensorRates.list([]).rate(atLeast: 1) == nil)
    }

    @Test("A requested rate is limited to the range and rounded up to its step")
    func range() {
        let rates = SensorRates.range(minimum: 4, step: 0.5, maximum: 100)
        #expect(rates.rate(atLeast: 1) == 4)
        #expect(rates.rate(atLeast: 10) == 10)
        #expect(rates.rate(atLeast: 10.1) == 10.5)
        #expect(rates.rate(atLeast: .infinity) == 100)
        #expect(SensorRates.range(minimum: 1, step: 0, maximum: 9).rate(atLeast: 3.3) == 3.3)
        #expect(SensorRates.unknown.rate(atLeast: 10) == nil)
    }
}
