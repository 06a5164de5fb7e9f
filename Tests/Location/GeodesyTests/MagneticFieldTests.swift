// SPDX-License-Identifier: Apache-2.0

import Foundation
import Geodesy
import Testing

@Suite("Magnetic field")
struct MagneticFieldTests {
    private static func field(
        _ latitude: Double, _ longitude: Double, altitude: Double = 0, year: Double = 2026
    ) -> MagneticField {
        MagneticModel.wmm2025.field(latitude: latitude, longitude: longitude, altitude: altitude, year: year)
    }

    /// North and east rotate with the meridian at a pole, but the vector that they describe does not.
    @Test("At the poles every longitude yields the same vector", arguments: [90.0, -90.0])
    func poles(latitude: Double) {
        func flat(_ longitude: Double) -> SIMD2<Double> {
            let field = Self.field(latitude, longitude)
            let (s, c) = (sin(longitude * .pi / 180), cos(longitude * .pi / 180))
            // North along the meridian, as seen from above the pole, with x towards Greenwich.
            let north = SIMD2(c, s) * (latitude > 0 ? -1 : 1)
            return field.x * north + field.y * SIMD2(-s, c)
        }
        let first = flat(0)
        #expect((first * first).sum() > 1e6)
        for longitude in stride(from: -720.0, through: 720, by: 22.5) {
            let difference = flat(longitude) - first
            #expect((difference * difference).sum() < 1e-16)
            #expect(abs(Self.field(latitude, longitude).z - Self.field(latitude, 0).z) < 1e-8)
        }
    }

    @Test("The field is continuous at the poles", arguments: [90.0, -90.0])
    func nearPoles(latitude: Double) {
        for longitude in [-180.0, -60, 0, 33, 90] {
            let (pole, near) = (Self.field(latitude, longitude), Self.field(latitude * (1 - 1e-12), longitude))
            #expect(abs(pole.x - near.x) < 1e-6)
            #expect(abs(pole.y - near.y) < 1e-6)
            #expect(abs(pole.z - near.z) < 1e-6)
            #expect(abs(pole.declinationRate - near.declinationRate) < 1e-9)
        }
    }

    @Test("Longitudes are taken modulo 360, and both longitudes of the date line yield the same field")
    func longitudes() {
        #expect(Self.field(12.5, 180) == Self.field(12.5, -180))
        #expect(Self.field(-47, 190) == Self.field(-47, -170))
        #expect(Self.field(-47, 190 + 360 * 1000) == Self.field(-47, -170))
        #expect(Self.field(-47, -530) == Self.field(-47, -170))
    }

    @Test("Rates equal the change of the field per year")
    func rates() {
        let (before, now, after) = (
            Self.field(48, 16, year: 2026.99), Self.field(48, 16, year: 2027), Self.field(48, 16, year: 2027.01)
        )
        func slope(_ value: (MagneticField) -> Double) -> Double { (value(after) - value(before)) / 0.02 }
        #expect(abs(slope(\.x) - now.xRate) < 1e-6)
        #expect(abs(slope(\.y) - now.yRate) < 1e-6)
        #expect(abs(slope(\.z) - now.zRate) < 1e-6)
        #expect(abs(slope(\.horizontal) - now.horizontalRate) < 1e-5)
        #expect(abs(slope(\.total) - now.totalRate) < 1e-5)
        #expect(abs(slope(\.declination) - now.declinationRate) < 1e-7)
        #expect(abs(slope(\.inclination) - now.inclinationRate) < 1e-7)
    }

    @Test("A year or altitude outside the model's range yields a field that is marked as invalid")
    func validity() {
        for year in [2025.0, 2027, 2030] { #expect(Self.field(48, 16, year: year).isModelValid) }
        for year in [1900.0, 2024.999, 2030.001, 2200] {
            let field = Self.field(48, 16, year: year)
            #expect(!field.isModelValid)
            #expect(field.total > 10_000 && field.year == year)
        }
        for altitude in [-1000.0, 0, 850_000] { #expect(Self.field(48, 16, altitude: altitude).isModelValid) }
        for altitude in [-1001.0, 850_001] {
            let field = Self.field(48, 16, altitude: altitude)
            #expect(!field.isModelValid && field.total > 10_000)
        }
    }

    /// The published horizontal field in 2025 is 2,164 nT at 80 N 96 W and 24,301 nT at 43 N 93 E.
    @Test("Caution and blackout zones depend on the horizontal field")
    func zones() {
        let caution = Self.field(80, -96, altitude: 48_000, year: 2025)
        #expect(caution.isInCautionZone && !caution.isInBlackoutZone)
        let good = Self.field(43, 93, altitude: 65_000, year: 2025)
        #expect(!good.isInCautionZone && !good.isInBlackoutZone)
        let pole = Self.field(86, 139)
        #expect(pole.horizontal < 2000 && pole.isInCautionZone && pole.isInBlackoutZone)
    }

    /// The square root of 0.26² + (5417 / H)² with the published H = 24,300.764692 nT is 0.34248 degrees.
    @Test("Uncertainties equal those in the model's report")
    func uncertainties() {
        let field = Self.field(43, 93, altitude: 65_000, year: 2025)
        #expect(abs(field.declinationUncertainty - 0.34248) < 1e-5)
        #expect(field.inclinationUncertainty == 0.2)
        #expect([field.xUncertainty, field.yUncertainty, field.zUncertainty] == [137, 89, 141])
        #expect([field.horizontalUncertainty, field.totalUncertainty] == [133, 138])
        let (weakest, minimum) = (Self.weakest(), 5417 / 180.0)
        #expect(weakest.horizontal < minimum)
        #expect(weakest.declinationUncertainty == 180)
    }

    /// Returns the field close to the southern dip pole, where the horizontal field is weakest.
    private static func weakest() -> MagneticField {
        var position = SIMD2(-64.0, 136.0)
        var step = 1.0
        while step > 1e-4 {
            let neighbours = [SIMD2(step, 0), SIMD2(-step, 0), SIMD2(0, step), SIMD2(0, -step)].map { position + $0 }
            let best = neighbours.min { field($0.x, $0.y).horizontal < field($1.x, $1.y).horizontal } ?? position
            if field(best.x, best.y).horizontal < field(position.x, position.y).horizontal {
                position = best
            } else {
                step /= 2
            }
        }
        return field(position.x, position.y)
    }

    @Test("Invalid coordinates and times yield NaN in all values")
    func hostileInput() {
        let bad = [
            Self.field(.nan, 0), Self.field(0, .nan), Self.field(0, 0, altitude: .nan), Self.field(0, 0, year: .nan),
            Self.field(90.000001, 0), Self.field(-91, 0), Self.field(.infinity, 0), Self.field(0, -.infinity),
            Self.field(0, 0, altitude: .infinity), Self.field(0, 0, altitude: -2_900_000),
            Self.field(0, 0, altitude: -6_378_137), Self.field(0, 0, year: .infinity),
        ]
        for field in bad {
            let values = [
                field.x, field.y, field.z, field.horizontal, field.total, field.declination, field.inclination,
                field.xRate, field.yRate, field.zRate, field.horizontalRate, field.totalRate, field.declinationRate,
                field.inclinationRate, field.declinationUncertainty, field.inclinationUncertainty, field.xUncertainty,
                field.yUncertainty, field.zUncertainty, field.horizontalUncertainty, field.totalUncertainty,
            ]
            #expect(values.allSatisfy { $0.isNaN })
            #expect(!field.isModelValid && field.isInCautionZone && field.isInBlackoutZone)
        }
        // Extreme finite values must not crash.
        for extreme in [Double.greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude] {
            _ = Self.field(0, extreme)
            _ = Self.field(0, 0, altitude: extreme)
            _ = Self.field(0, 0, year: extreme)
        }
    }

    /// At the reference radius, an axial dipole has a horizontal field of g cos φ and a vertical field of 2 g sin φ.
    @Test("A model with one term is a dipole")
    func dipole() throws {
        let text = "2025.0 DIPOLE\n1 0 -30000 0 10 0\n1 1 0 0 0 0\n999999\n"
        let model = try MagneticModel(cof: text.utf8)
        #expect(model.degree == 1)
        // At the equator, the ellipsoid is 6378.137 km from the centre, and the geodetic and geocentric latitudes are
        // 0.
        let strength = 30_000 * pow(6371.2 / 6378.137, 3)
        let field = model.field(latitude: 0, longitude: 77, altitude: 0, year: 2025)
        #expect(abs(field.x - strength) < 1e-9 && abs(field.y) < 1e-9 && abs(field.z) < 1e-9)
        let later = model.field(latitude: 0, longitude: 77, altitude: 0, year: 2028)
        #expect(abs(later.x - strength * 0.999) < 1e-9)
        let pole = model.field(latitude: 90, longitude: 77, altitude: 0, year: 2025)
        #expect(abs(pole.z - 60_000 * pow(6371.2 / 6356.752314245, 3)) < 1e-6 && abs(pole.horizontal) < 1e-9)
    }
}
