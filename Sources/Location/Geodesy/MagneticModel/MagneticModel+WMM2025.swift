// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

// Made by Tests/Location/GeodesyTests/Reference/Magnetic/make_table.py of the coefficient file beside it; a test compares them.

extension MagneticModel {
    /// The World Magnetic Model 2025, for the years 2025.0 to 2030.0.
    ///
    /// By NOAA's National Centers for Environmental Information and the British Geological Survey, released on
    /// 17 December 2024; a work of the government of the United States, in the public domain.
    package static let wmm2025 = MagneticModel(
        name: "WMM-2025", epoch: 2025.0, releaseDate: "11/13/2024", degree: 12,
        rows: wmm2025Rows)

    /// `g`, `h` and their changes a year, in nT: degree by degree, order 0 first.
    static let wmm2025Rows: [MagneticRow] = [
        // Degree 1
        MagneticRow(g: -29351.8, h: 0.0, gRate: 12.0, hRate: 0.0),
        MagneticRow(g: -1410.8, h: 4545.4, gRate: 9.7, hRate: -21.5),
        // Degree 2
        MagneticRow(g: -2556.6, h: 0.0, gRate: -11.6, hRate: 0.0),
        MagneticRow(g: 2951.1, h: -3133.6, gRate: -5.2, hRate: -27.7),
        MagneticRow(g: 1649.3, h: -815.1, gRate: -8.0, hRate: -12.1),
        // Degree 3
        MagneticRow(g: 1361.0, h: 0.0, gRate: -1.3, hRate: 0.0),
        MagneticRow(g: -2404.1, h: -56.6, gRate: -4.2, hRate: 4.0),
        MagneticRow(g: 1243.8, h: 237.5, gRate: 0.4, hRate: -0.3),
        MagneticRow(g: 453.6, h: -549.5, gRate: -15.6, hRate: -4.1),
        // Degree 4
        MagneticRow(g: 895.0, h: 0.0, gRate: -1.6, hRate: 0.0),
        MagneticRow(g: 799.5, h: 278.6, gRate: -2.4, hRate: -1.1),
        MagneticRow(g: 55.7, h: -133.9, gRate: -6.0, hRate: 4.1),
        MagneticRow(g: -281.1, h: 212.0, gRate: 5.6, hRate: 1.6),
        MagneticRow(g: 12.1, h: -375.6, gRate: -7.0, hRate: -4.4),
        // Degree 5
        MagneticRow(g: -233.2, h: 0.0, gRate: 0.6, hRate: 0.0),
        MagneticRow(g: 368.9, h: 45.4, gRate: 1.4, hRate: -0.5),
        MagneticRow(g: 187.2, h: 220.2, gRate: 0.0, hRate: 2.2),
        MagneticRow(g: -138.7, h: -122.9, gRate: 0.6, hRate: 0.4),
        MagneticRow(g: -142.0, h: 43.0, gRate: 2.2, hRate: 1.7),
        MagneticRow(g: 20.9, h: 106.1, gRate: 0.9, hRate: 1.9),
        // Degree 6
        MagneticRow(g: 64.4, h: 0.0, gRate: -0.2, hRate: 0.0),
        MagneticRow(g: 63.8, h: -18.4, gRate: -0.4, hRate: 0.3),
        MagneticRow(g: 76.9, h: 16.8, gRate: 0.9, hRate: -1.6),
        MagneticRow(g: -115.7, h: 48.8, gRate: 1.2, hRate: -0.4),
        MagneticRow(g: -40.9, h: -59.8, gRate: -0.9, hRate: 0.9),
        MagneticRow(g: 14.9, h: 10.9, gRate: 0.3, hRate: 0.7),
        MagneticRow(g: -60.7, h: 72.7, gRate: 0.9, hRate: 0.9),
        // Degree 7
        MagneticRow(g: 79.5, h: 0.0, gRate: -0.0, hRate: 0.0),
        MagneticRow(g: -77.0, h: -48.9, gRate: -0.1, hRate: 0.6),
        MagneticRow(g: -8.8, h: -14.4, gRate: -0.1, hRate: 0.5),
        MagneticRow(g: 59.3, h: -1.0, gRate: 0.5, hRate: -0.8),
        MagneticRow(g: 15.8, h: 23.4, gRate: -0.1, hRate: 0.0),
        MagneticRow(g: 2.5, h: -7.4, gRate: -0.8, hRate: -1.0),
        MagneticRow(g: -11.1, h: -25.1, gRate: -0.8, hRate: 0.6),
        MagneticRow(g: 14.2, h: -2.3, gRate: 0.8, hRate: -0.2),
        // Degree 8
        MagneticRow(g: 23.2, h: 0.0, gRate: -0.1, hRate: 0.0),
        MagneticRow(g: 10.8, h: 7.1, gRate: 0.2, hRate: -0.2),
        MagneticRow(g: -17.5, h: -12.6, gRate: 0.0, hRate: 0.5),
        MagneticRow(g: 2.0, h: 11.4, gRate: 0.5, hRate: -0.4),
        MagneticRow(g: -21.7, h: -9.7, gRate: -0.1, hRate: 0.4),
        MagneticRow(g: 16.9, h: 12.7, gRate: 0.3, hRate: -0.5),
        MagneticRow(g: 15.0, h: 0.7, gRate: 0.2, hRate: -0.6),
        MagneticRow(g: -16.8, h: -5.2, gRate: -0.0, hRate: 0.3),
        MagneticRow(g: 0.9, h: 3.9, gRate: 0.2, hRate: 0.2),
        // Degree 9
        MagneticRow(g: 4.6, h: 0.0, gRate: -0.0, hRate: 0.0),
        MagneticRow(g: 7.8, h: -24.8, gRate: -0.1, hRate: -0.3),
        MagneticRow(g: 3.0, h: 12.2, gRate: 0.1, hRate: 0.3),
        MagneticRow(g: -0.2, h: 8.3, gRate: 0.3, hRate: -0.3),
        MagneticRow(g: -2.5, h: -3.3, gRate: -0.3, hRate: 0.3),
        MagneticRow(g: -13.1, h: -5.2, gRate: 0.0, hRate: 0.2),
        MagneticRow(g: 2.4, h: 7.2, gRate: 0.3, hRate: -0.1),
        MagneticRow(g: 8.6, h: -0.6, gRate: -0.1, hRate: -0.2),
        MagneticRow(g: -8.7, h: 0.8, gRate: 0.1, hRate: 0.4),
        MagneticRow(g: -12.9, h: 10.0, gRate: -0.1, hRate: 0.1),
        // Degree 10
        MagneticRow(g: -1.3, h: 0.0, gRate: 0.1, hRate: 0.0),
        MagneticRow(g: -6.4, h: 3.3, gRate: 0.0, hRate: 0.0),
        MagneticRow(g: 0.2, h: 0.0, gRate: 0.1, hRate: -0.0),
        MagneticRow(g: 2.0, h: 2.4, gRate: 0.1, hRate: -0.2),
        MagneticRow(g: -1.0, h: 5.3, gRate: -0.0, hRate: 0.1),
        MagneticRow(g: -0.6, h: -9.1, gRate: -0.3, hRate: -0.1),
        MagneticRow(g: -0.9, h: 0.4, gRate: 0.0, hRate: 0.1),
        MagneticRow(g: 1.5, h: -4.2, gRate: -0.1, hRate: 0.0),
        MagneticRow(g: 0.9, h: -3.8, gRate: -0.1, hRate: -0.1),
        MagneticRow(g: -2.7, h: 0.9, gRate: -0.0, hRate: 0.2),
        MagneticRow(g: -3.9, h: -9.1, gRate: -0.0, hRate: -0.0),
        // Degree 11
        MagneticRow(g: 2.9, h: 0.0, gRate: 0.0, hRate: 0.0),
        MagneticRow(g: -1.5, h: 0.0, gRate: -0.0, hRate: -0.0),
        MagneticRow(g: -2.5, h: 2.9, gRate: 0.0, hRate: 0.1),
        MagneticRow(g: 2.4, h: -0.6, gRate: 0.0, hRate: -0.0),
        MagneticRow(g: -0.6, h: 0.2, gRate: 0.0, hRate: 0.1),
        MagneticRow(g: -0.1, h: 0.5, gRate: -0.1, hRate: -0.0),
        MagneticRow(g: -0.6, h: -0.3, gRate: 0.0, hRate: -0.0),
        MagneticRow(g: -0.1, h: -1.2, gRate: -0.0, hRate: 0.1),
        MagneticRow(g: 1.1, h: -1.7, gRate: -0.1, hRate: -0.0),
        MagneticRow(g: -1.0, h: -2.9, gRate: -0.1, hRate: 0.0),
        MagneticRow(g: -0.2, h: -1.8, gRate: -0.1, hRate: 0.0),
        MagneticRow(g: 2.6, h: -2.3, gRate: -0.1, hRate: 0.0),
        // Degree 12
        MagneticRow(g: -2.0, h: 0.0, gRate: 0.0, hRate: 0.0),
        MagneticRow(g: -0.2, h: -1.3, gRate: 0.0, hRate: -0.0),
        MagneticRow(g: 0.3, h: 0.7, gRate: -0.0, hRate: 0.0),
        MagneticRow(g: 1.2, h: 1.0, gRate: -0.0, hRate: -0.1),
        MagneticRow(g: -1.3, h: -1.4, gRate: -0.0, hRate: 0.1),
        MagneticRow(g: 0.6, h: -0.0, gRate: -0.0, hRate: -0.0),
        MagneticRow(g: 0.6, h: 0.6, gRate: 0.1, hRate: -0.0),
        MagneticRow(g: 0.5, h: -0.1, gRate: -0.0, hRate: -0.0),
        MagneticRow(g: -0.1, h: 0.8, gRate: 0.0, hRate: 0.0),
        MagneticRow(g: -0.4, h: 0.1, gRate: 0.0, hRate: -0.0),
        MagneticRow(g: -0.2, h: -1.0, gRate: -0.1, hRate: -0.0),
        MagneticRow(g: -1.3, h: 0.1, gRate: -0.0, hRate: 0.0),
        MagneticRow(g: -0.7, h: 0.2, gRate: -0.1, hRate: -0.1),
    ]
}
