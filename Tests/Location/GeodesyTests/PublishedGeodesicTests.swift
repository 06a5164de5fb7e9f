// SPDX-License-Identifier: Apache-2.0

import Foundation
import Geodesy
import Testing

@Suite("Published geodesics")
struct PublishedGeodesicTests {
    @Test("The direct solution equals the example of Karney 2013, table 2")
    func directExample() {
        let end = Geodesic.direct(from: GeodeticCoordinate(40, 0), azimuth: 30, distance: 10_000_000)
        #expect(abs(end.destination.latitude - 41.79331020506) < 1e-11)
        #expect(abs(end.destination.longitude - 137.84490004377) < 1e-11)
        #expect(abs(end.finalAzimuth - 149.09016931807) < 1e-11)
    }

    @Test("The inverse solution equals the short example of Karney 2013, table 3")
    func shortExample() {
        let path = Geodesic.inverse(
            from: GeodeticCoordinate(-30.12345, 0), to: GeodeticCoordinate(-30.12344, 0.00005))
        #expect(abs(path.distance - 4.944208) < 5e-7)
        #expect(abs(path.initialAzimuth - 77.04353354237) < 1e-8)
        #expect(abs(path.finalAzimuth - 77.04350844913) < 1e-8)
    }

    @Test("The inverse solution equals the nearly antipodal example of Karney 2013, tables 4 to 6")
    func antipodalExample() {
        let path = Geodesic.inverse(from: GeodeticCoordinate(-30, 0), to: GeodeticCoordinate(29.9, 179.8))
        #expect(abs(path.distance - 19_989_832.82761) < 1e-5)
        #expect(abs(path.initialAzimuth - 161.89052473633) < 1e-10)
        #expect(abs(path.finalAzimuth - 18.09073724574) < 1e-10)
    }

    @Test("A degree of longitude on the equator is the equatorial radius times its angle")
    func equatorialDegree() {
        // 6378137 · π / 180 = 111319.490793...
        let distance = Geodesic.distance(from: GeodeticCoordinate(0, 10), to: GeodeticCoordinate(0, 11))
        #expect(abs(distance - 111_319.490_793_27) < 1e-7)
    }

    @Test("The quarter meridian has the published length")
    func quarterMeridian() {
        // Half a meridian ellipse is 20 003 931.4586254 m long, the greatest distance in doi:10.5281/zenodo.32156.
        let half = 20_003_931.458_625_4
        for longitude in [0.0, 90, -77.5] {
            let equator = GeodeticCoordinate(0, longitude)
            #expect(abs(Geodesic.distance(from: equator, to: GeodeticCoordinate(90, 33)) - half / 2) < 1e-7)
            #expect(abs(Geodesic.distance(from: equator, to: GeodeticCoordinate(-90, 0)) - half / 2) < 1e-7)
        }
        let poles = Geodesic.distance(from: GeodeticCoordinate(-90, 0), to: GeodeticCoordinate(90, 120))
        #expect(abs(poles - half) < 1e-7)
        let antipodes = Geodesic.distance(from: GeodeticCoordinate(0, 0), to: GeodeticCoordinate(0, 180))
        #expect(abs(antipodes - half) < 1e-7)
    }

    /// Lines of C. F. F. Karney, "Test set for geodesics" (2010), doi:10.5281/zenodo.32156, which was computed in high
    /// precision: lat1, azi1, lat2, lon2, azi2, s12, m12 (lon1 is 0). They are selected from the first hundred lines:
    /// short, nearly antipodal, polar, nearly meridional and nearly equatorial paths.
    private static let testSet: [[Double]] = [
        [
            0.003311913742, 90.001862369144, 0.001762385472585824, 32.846794581272844, 90.003358355630087731,
            3656488.4472191, 3458160.8183571795545,
        ],
        [
            20.423135394589, 169.895260694771, -21.179388017798691648, 179.757116934570412271, 10.155770628519677379,
            19917969.3423672, 141945.8619235957633,
        ],
        [
            35.602540598169, 111.870427868602, -19.406200172031696834, 78.995799629955596127, 126.810557548058637274,
            10299779.6328425, 6352380.0559844604728,
        ],
        [
            26.010745808687, 0.001066006762, 64.958396828764391273, 0.001576658648546905, 0.002258602266785352,
            4328675.605565, 4003980.5302367959495,
        ],
        [
            0.000227056052, 90.002708094472, -0.000342923983172007, 176.956361997998361364, 89.997304044626702539,
            19698692.1099486, 271551.6020163755057,
        ],
        [
            18.725775553796, 98.927919777265, 18.724785210853172866, 0.006615636046166963, 98.930043600815390181,
            706.2676803, 706.2676788489356,
        ],
        [
            89.996344967961, 118.710939348963, -89.996002848213014514, 114.609255826886658305, 126.679770857297993955,
            20003468.6532733, 462.8051596696701,
        ],
        [
            24.171782020744, 39.646990082748, -23.764334766744517272, 179.282236094377504312, 140.501874677811401335,
            19933995.6361023, 91910.9760307801088,
        ],
        [
            80.469322885334, 105.156200975107, -80.476682352349668002, 179.7382617668365442, 75.0065742603772431,
            19999908.8578331, 3284.9211057284172,
        ],
        [
            47.900780879363, 148.758779524609, 47.899309788344023215, 0.001327005894209747, 148.759764131627358008,
            191.3088022, 191.3088021713334,
        ],
        [
            89.999847105665, 147.852478424891, -89.993713719591968804, 32.889046880852145269, 179.258473830612758201,
            20003214.918664, 716.5399431298168,
        ],
        [
            60.077425015363, 81.639916890942, 60.078197903525388982, 0.010531670881733178, 81.649044728416379082,
            592.5766309, 592.576630050364,
        ],
        [
            75.975352772302, 179.997771487753, 14.402365789075887732, 0.002021046465612995, 179.999440771645567232,
            6842945.6235417, 5603732.2812009141173,
        ],
        [
            3.886251327793, 0.003365258148, 46.809843909316668201, 179.996182587980211992, 179.99510303142707207,
            14388097.8595141, 4960694.2672530512559,
        ],
        [
            89.999172440969, 92.073657163691, 10.980439868636816382, 87.926178538128453996, 179.999154828344867351,
            8787660.0016896, 6262127.6164360030171,
        ],
        [
            8.849455388939, 129.673344478389, 8.843107684651578467, 0.007694428892432052, 129.674527758774555025,
            1099.6867173, 1099.6867118166296,
        ],
    ]

    @Test("The inverse solution reproduces the published test set", arguments: testSet)
    func testSetInverse(_ line: [Double]) {
        let start = GeodeticCoordinate(line[0], 0)
        let end = GeodeticCoordinate(line[2], line[3])
        let path = Geodesic.inverse(from: start, to: end)
        #expect(abs(path.distance - line[5]) < 5e-8)
        #expect(abs(Geodesic.distance(from: start, to: end) - line[5]) < 5e-8)
        #expect(angularDifference(path.initialAzimuth, line[1]) * line[6] < 5e-8)
        #expect(angularDifference(path.finalAzimuth, line[4]) * line[6] < 5e-8)
    }

    @Test("The direct solution reproduces the published test set", arguments: testSet)
    func testSetDirect(_ line: [Double]) {
        let end = Geodesic.direct(from: GeodeticCoordinate(line[0], 0), azimuth: line[1], distance: line[5])
        #expect(chord(end.destination, GeodeticCoordinate(line[2], line[3])) < 5e-8)
    }
}
