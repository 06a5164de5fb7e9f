// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

extension MagneticModel {
    /// The largest file that ``init(cof:)`` takes, in bytes.
    public static var maximumFileSize: Int { 1_048_576 }

    /// The highest degree that ``init(cof:)`` takes: that of the high-resolution model WMMHR.
    public static var maximumDegree: Int { 133 }

    /// Reads a coefficient file (`WMM.COF`) as NOAA publishes it.
    ///
    /// The first line holds the epoch, the name and the date; then come rows of degree, order, `g`, `h` (nT) and their
    /// changes a year; a line of nines ends them, and what follows is not read. Rows may come in any order but must be
    /// complete. Blank lines, tabs, more space, Windows line ends and a byte order mark make no difference.
    ///
    /// - Throws: what is wrong, and in which line.
    public init(cof bytes: some Collection<UInt8>) throws(MagneticModelError) {
        var reader = MagneticFileReader()
        try reader.read(bytes)
        self = try reader.model()
    }
}
