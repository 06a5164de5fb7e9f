// SPDX-License-Identifier: Apache-2.0

import Foundation
import SensorFusion
import TestSupport
import Testing

@Suite("Attitude filter: comparison with the published filter")
struct AttitudeReferenceTests {
    private struct Row {
        let row: Int
        let values: [Double]
    }

    private static func reference(_ name: String) throws -> [Row] {
        var rows: [Row] = []
        var isWanted = false
        for line in try Recording.lines("Reference/vqf.txt") {
            if line.hasPrefix("#") {
                isWanted = line == "# \(name)"
            } else if isWanted {
                let values = try Recording.numbers(line, separator: " ", count: 15)
                rows.append(Row(row: Int(values[0]), values: Array(values.dropFirst())))
            }
        }
        return rows
    }

    @Test("With reference settings, quaternions equal those of PyPI vqf to 1e-9", arguments: AttitudeTrial.all.indices)
    func parity(index: Int) throws {
        let trial = AttitudeTrial.all[index]
        let rows = try Self.reference(trial.name)
        #expect(rows.count == (trial.rates.count + 399) / 200)
        var filter = AttitudeFilter(settings: .reference, interval: AttitudeTrial.interval)
        var next = 0
        for row in trial.rates.indices {
            filter.updateGyroscope(trial.rates[row], timestamp: trial.time(row))
            filter.updateAccelerometer(trial.accelerations[row], timestamp: trial.time(row))
            filter.updateMagnetometer(trial.fields[row], timestamp: trial.time(row))
            guard next < rows.count, rows[next].row == row else { continue }
            let v = rows[next].values
            next += 1
            let magnetic = try #require(filter.magneticAttitude)
            #expect(distance(filter.attitude, v[0...3]) < 1e-9, "row \(row)")
            #expect(distance(magnetic, v[4...7]) < 1e-9, "row \(row)")
            #expect(length(filter.bias - SIMD3(v[8], v[9], v[10])) < 1e-9, "row \(row)")
            #expect(abs(filter.biasSigma - v[11]) < 1e-9, "row \(row)")
            #expect(filter.isResting == (v[12] == 1), "row \(row)")
            #expect(filter.isMagneticallyDisturbed == (v[13] == 1), "row \(row)")
        }
        #expect(next == rows.count)
    }

    /// Returns the length of the difference. q and -q are the same attitude.
    private func distance(_ a: Quaternion, _ wxyz: ArraySlice<Double>) -> Double {
        let w = wxyz[wxyz.startIndex]
        let b = SIMD4(wxyz[wxyz.startIndex + 1], wxyz[wxyz.startIndex + 2], wxyz[wxyz.startIndex + 3], w)
        let minus = a.components - b
        let plus = a.components + b
        return min((minus * minus).sum(), (plus * plus).sum()).squareRoot()
    }
}
