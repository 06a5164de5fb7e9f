// SPDX-License-Identifier: Apache-2.0

public import JSONBytes

/// A calibration's JSON form, used in files and traces. Its keys must not change.
extension SensorCalibration: JSONWritable {
    @usableFromInline package func write(to writer: inout JSONWriter) { writer.object { writeMembers(to: &$0) } }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("offset", offset)
        writer.member("matrix", [matrix.0, matrix.1, matrix.2])
        Self.write("sigma", sigma, to: &writer)
        writer.member("quality", quality)
        Self.write("residual", residual, to: &writer)
        Self.write("coverage", coverage, to: &writer)
        Self.write("fieldStrength", fieldStrength, to: &writer)
        Self.write("dip", dip, to: &writer)
        if !upDirections.isEmpty { writer.member("heldUp", upDirections) }
        writer.member("date", date.seconds)
    }

    private static func write(_ key: StaticString, _ value: Double, to writer: inout JSONWriter) {
        if value.isFinite { writer.member(key, value) }
    }

    /// Returns nil if `offset` or `matrix` is missing or invalid. Other values are not validated.
    package static func read(_ reader: inout JSONReader) throws(JSONError) -> SensorCalibration? {
        guard try reader.beginObjectIfPresent() else { return nil }
        var builder = Builder()
        while let key = try reader.nextKey() { if try !builder.read(key, &reader) { try reader.skipValue() } }
        return builder.calibration
    }

    /// Collects a calibration's members from an object that may also have other members.
    package struct Builder {
        private var value = SensorCalibration()
        private var hasOffset = false
        private var hasMatrix = false

        package init() {}

        package var calibration: SensorCalibration? { hasOffset && hasMatrix ? value : nil }

        /// If the key does not belong to a calibration, returns false without reading the value.
        package mutating func read(_ key: JSONText, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            switch key.word {
            case JSONText.word("offset"):
                guard let offset = try SensorCalibration.readVector(&reader) else { return true }
                value.offset = offset
                hasOffset = true
            case JSONText.word("matrix"):
                guard let rows = try SensorCalibration.readMatrix(&reader) else { return true }
                value.matrix = rows
                hasMatrix = true
            case JSONText.word("sigma"): value.sigma = try reader.doubleIfPresent()
            case JSONText.word("quality"): value.quality = try reader.int64IfPresent().flatMap(Int.init(exactly:)) ?? -1
            case JSONText.word("residual"): value.residual = try reader.doubleIfPresent()
            case JSONText.word("coverage"):
                let coverage = try reader.doubleIfPresent()
                value.coverage = coverage.isNaN ? 0 : coverage
            case JSONText.word("heldUp"): value.upDirections = try SensorCalibration.readDirections(&reader)
            case JSONText.word("dip"): value.dip = try reader.doubleIfPresent()
            case JSONText.word("date"): value.date = WallTime(seconds: try reader.doubleIfPresent()) ?? .epoch
            // This key is too long for a `word`, which holds only 8 bytes.
            case _ where key.equals("fieldStrength"): value.fieldStrength = try reader.doubleIfPresent()
            default: return false
            }
            return true
        }
    }

    /// Reads at most six directions, one for each side of a device. Skips vectors whose length is not close to 1.
    private static func readDirections(_ reader: inout JSONReader) throws(JSONError) -> [SIMD3<Double>] {
        var directions: [SIMD3<Double>] = []
        guard try reader.beginArrayIfPresent() else { return directions }
        while try reader.nextElement() {
            guard let direction = try readVector(&reader) else { continue }
            let squared = (direction * direction).sum()
            if directions.count < 6, squared > 0.9, squared < 1.1 { directions.append(direction) }
        }
        return directions
    }

    private static func readMatrix(
        _ reader: inout JSONReader
    ) throws(JSONError) -> (SIMD3<Double>, SIMD3<Double>, SIMD3<Double>)? {
        guard try reader.beginArrayIfPresent() else { return nil }
        var rows: [SIMD3<Double>] = []
        var isValid = true
        while try reader.nextElement() {
            guard rows.count < 3, let row = try readVector(&reader) else {
                if rows.count >= 3 { try reader.skipValue() }
                isValid = false
                continue
            }
            rows.append(row)
        }
        return isValid && rows.count == 3 ? (rows[0], rows[1], rows[2]) : nil
    }

    private static func readVector(_ reader: inout JSONReader) throws(JSONError) -> SIMD3<Double>? {
        guard try reader.beginArrayIfPresent() else { return nil }
        var vector = SIMD3<Double>.zero
        var count = 0
        while try reader.nextElement() {
            let number = try reader.doubleIfPresent()
            if count < 3 { vector[count] = number }
            count += 1
        }
        return count == 3 ? vector : nil
    }
}
