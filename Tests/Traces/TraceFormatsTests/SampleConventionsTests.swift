// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TraceFormats

@Suite("Sign and unit conventions")
struct SampleConventionsTests {
    @Test("A phone flat on a table, screen up, has +9.80665 on z after conversion from every convention")
    func flat() {
        // The values of that pose in the three conventions, from the vendors' documentation.
        let own: [(SampleConvention, SIMD3<Double>)] = [
            (.properAcceleration, [0, 0, 9.80665]), (.coreMotion, [0, 0, -1]), (.appleSignSI, [0, 0, -9.80665]),
        ]
        for (convention, value) in own {
            #expect(SampleConventions.acceleration(value, from: convention) == [0, 0, 9.80665])
        }
    }

    @Test("Magnetic fields and pressures are converted by powers of ten")
    func units() {
        #expect(SampleConventions.gauss(microtesla: [20, -43, 0.1]) == [0.2, -0.43, 0.001])
        #expect(SampleConventions.microtesla(gauss: [0.25, -0.5, 0]) == [25, -50, 0])
        #expect(SampleConventions.kilopascal(hectopascal: 1013.25) == 101.325)
    }
}
