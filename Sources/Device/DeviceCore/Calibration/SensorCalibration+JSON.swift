// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

package import JSONBytes

extension SensorCalibration {
    /// Writes it as an object. What is not known is left out.
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writeMembers(to: &writer)
        writer.endObject()
    }

    /// Writes the members of the object.
    func writeMembers(to writer: inout JSONWriter) {
        writer.key("offset")
        Self.write(offset, to: &writer)
        writer.key("matrix")
        writer.beginArray()
        Self.write(matrix.0, to: &writer)
        Self.write(matrix.1, to: &writer)
        Self.write(matrix.2, to: &writer)
        writer.endArray()
        Self.write("sigma", sigma, to: &writer)
        writer.member("quality", quality)
        Self.write("residual", residual, to: &writer)
        Self.write("coverage", coverage, to: &writer)
        Self.write("fieldStrength", fieldStrength, to: &writer)
        Self.write("dip", dip, to: &writer)
        writer.member("date", date.seconds)
    }

    private static func write(_ key: StaticString, _ value: Double, to writer: inout JSONWriter) {
        guard value.isFinite else { return }
        writer.member(key, value)
    }

    private static func write(_ vector: SIMD3<Double>, to writer: inout JSONWriter) {
        writer.beginArray()
        writer.double(vector.x)
        writer.double(vector.y)
        writer.double(vector.z)
        writer.endArray()
    }

    /// Reads an object; nil when offset or matrix is missing or no such thing. Nothing else is checked.
    package static func read(_ reader: inout JSONReader) throws(JSONError) -> SensorCalibration? {
        guard try reader.peekKind() == .object else {
            try reader.skipValue()
            return nil
        }
        var parts = Parts()
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if try !parts.read(key, &reader) { try reader.skipValue() }
        }
        return parts.calibration
    }

    /// The members that have been read so far.
    struct Parts {
        private var value = SensorCalibration()
        private var hasOffset = false
        private var hasMatrix = false

        var calibration: SensorCalibration? { hasOffset && hasMatrix ? value : nil }

        /// Reads the member; false when it is none of a calibration, and then nothing has been read.
        mutating func read(_ key: JSONText, _ reader: inout JSONReader) throws(JSONError) -> Bool {
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
            case JSONText.word("quality"):
                value.quality = try reader.int64IfPresent().flatMap(Int.init(exactly:)) ?? -1
            case JSONText.word("residual"): value.residual = try reader.doubleIfPresent()
            case JSONText.word("coverage"):
                let coverage = try reader.doubleIfPresent()
                value.coverage = coverage.isNaN ? 0 : coverage
            case JSONText.word("dip"): value.dip = try reader.doubleIfPresent()
            case JSONText.word("date"): value.date = WallTime(seconds: try reader.doubleIfPresent()) ?? .epoch
            case _ where key.equals("fieldStrength"): value.fieldStrength = try reader.doubleIfPresent()
            default: return false
            }
            return true
        }
    }

    private static func readMatrix(
        _ reader: inout JSONReader
    ) throws(JSONError) -> (SIMD3<Double>, SIMD3<Double>, SIMD3<Double>)? {
        guard try reader.peekKind() == .array else {
            try reader.skipValue()
            return nil
        }
        var rows: [SIMD3<Double>] = []
        var isWhole = true
        try reader.beginArray()
        while try reader.nextElement() {
            guard rows.count < 3, let row = try readVector(&reader) else {
                if rows.count >= 3 { try reader.skipValue() }
                isWhole = false
                continue
            }
            rows.append(row)
        }
        return isWhole && rows.count == 3 ? (rows[0], rows[1], rows[2]) : nil
    }

    private static func readVector(_ reader: inout JSONReader) throws(JSONError) -> SIMD3<Double>? {
        guard try reader.peekKind() == .array else {
            try reader.skipValue()
            return nil
        }
        var vector = SIMD3<Double>.zero
        var count = 0
        try reader.beginArray()
        while try reader.nextElement() {
            let number = try reader.doubleIfPresent()
            if count < 3 { vector[count] = number }
            count += 1
        }
        return count == 3 ? vector : nil
    }
}
