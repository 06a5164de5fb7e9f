// SPDX-License-Identifier: Apache-2.0

import Foundation
import Geodesy
import Testing

/// Compares the model with its published test values and with pygeomag (see Reference/Magnetic).
@Suite("World Magnetic Model against published values and pygeomag")
struct MagneticReferenceTests {
    private static let published = Result { try ReferenceFile.read("Magnetic/WMM2025_test_values.txt", columns: 18) }
    private static let others = Result { try ReferenceFile.read("Magnetic/pygeomag.txt", columns: 9) }

    /// Returns the field at a published point. The published altitudes are in kilometres.
    private static func field(_ line: ReferenceFile.Line) -> MagneticField {
        let v = line.values
        return MagneticModel.wmm2025.field(latitude: v[2], longitude: v[3], altitude: v[1] * 1000, year: v[0])
    }

    @Test("The references contain 50 published points and more than 400 others")
    func referencesAreComplete() throws {
        #expect(try Self.published.get().count == 50)
        let others = try Self.others.get()
        #expect(others.count > 400)
        #expect(Set(others.map(\.category)).count == 4)
    }

    @Test("The published components agree within a thousandth of a nanotesla")
    func components() throws {
        for line in try Self.published.get() {
            let (v, field) = (line.values, Self.field(line))
            #expect(abs(field.x - v[7]) < 1e-3, "\(line.text)")
            #expect(abs(field.y - v[8]) < 1e-3, "\(line.text)")
            #expect(abs(field.z - v[9]) < 1e-3, "\(line.text)")
            #expect(abs(field.horizontal - v[6]) < 1e-3, "\(line.text)")
            #expect(abs(field.total - v[10]) < 1e-3, "\(line.text)")
        }
    }

    @Test("Declination and inclination agree with the published components within 2e-6 degrees")
    func angles() throws {
        for line in try Self.published.get() {
            let (v, field) = (line.values, Self.field(line))
            #expect(abs(field.declination - atan2(v[8], v[7]) * 180 / .pi) < 2e-6, "\(line.text)")
            #expect(abs(field.inclination - atan2(v[9], v[6]) * 180 / .pi) < 2e-6, "\(line.text)")
            // The printed values have two decimals.
            #expect(abs(field.declination - v[4]) < 0.00501, "\(line.text)")
            #expect(abs(field.inclination - v[5]) < 0.00501, "\(line.text)")
        }
    }

    @Test("The published rates agree to the last printed digit")
    func rates() throws {
        for line in try Self.published.get() {
            let (v, field) = (line.values, Self.field(line))
            #expect(abs(field.declinationRate - v[11]) < 1e-6, "\(line.text)")
            #expect(abs(field.inclinationRate - v[12]) < 1e-6, "\(line.text)")
            #expect(abs(field.horizontalRate - v[13]) < 1e-5, "\(line.text)")
            #expect(abs(field.xRate - v[14]) < 1e-5, "\(line.text)")
            #expect(abs(field.yRate - v[15]) < 1e-5, "\(line.text)")
            #expect(abs(field.zRate - v[16]) < 1e-5, "\(line.text)")
            #expect(abs(field.totalRate - v[17]) < 1e-5, "\(line.text)")
        }
    }

    /// pygeomag rounds the polar radius to 0.1 mm, which corresponds to 1e-6 nT.
    @Test("Points everywhere, near the poles and in other years agree with pygeomag")
    func otherProgram() throws {
        for line in try Self.others.get() {
            let v = line.values
            let field = MagneticModel.wmm2025.field(
                latitude: v[1], longitude: v[2], altitude: v[3] * 1000, year: v[0])
            #expect(abs(field.x - v[4]) < 1e-4, "\(line.text)")
            #expect(abs(field.y - v[5]) < 1e-4, "\(line.text)")
            #expect(abs(field.z - v[6]) < 1e-4, "\(line.text)")
            #expect(angularDifference(field.declination, v[7]) * field.horizontal < 1e-4, "\(line.text)")
            #expect(angularDifference(field.inclination, v[8]) * field.total < 1e-4, "\(line.text)")
            #expect(field.isModelValid == (2025...2030).contains(v[0]), "\(line.text)")
        }
    }
}
