// SPDX-License-Identifier: Apache-2.0

extension MagneticModel {
    /// The maximum size of a file that ``init(cof:)`` accepts, in bytes.
    package static var maximumFileSize: Int { 1_048_576 }
    /// The maximum degree that ``init(cof:)`` accepts, which is the degree of the high-resolution model WMMHR.
    package static var maximumDegree: Int { 133 }

    /// Reads a coefficient file (`WMM.COF`) in NOAA's format.
    ///
    /// The first line contains the epoch, the name and the date. Each of the following rows contains the degree, the
    /// order, `g`, `h` (nT) and their changes per year. Rows may be in any order, but none may be missing. A line of
    /// nines ends the rows, and any text after it is ignored. Blank lines, tabs, additional spaces, Windows line
    /// endings and a byte order mark are accepted.
    package init(cof bytes: some Collection<UInt8>) throws(MagneticModelError) {
        var reader = MagneticFileReader()
        try reader.read(bytes)
        self = try reader.model()
    }
}

/// Parses one coefficient file. Call `read(_:)`, then `model()`.
struct MagneticFileReader {
    /// The number of the current line, starting at 1.
    private var line = 0
    private var header: (epoch: Double, name: String, date: String?)?
    private var rows: [Int: MagneticRow] = [:]
    private var degree = 0
    private var hasEnded = false

    /// The maximum length of a line, in bytes.
    static let maximumLineLength = 200
    static let epochs: ClosedRange<Double> = 1900...2200
    /// The maximum magnitude of a coefficient. Real coefficients are far smaller, and even values of this size cannot
    /// cause an overflow.
    private static let maximumCoefficient = 1e6

    mutating func read(_ bytes: some Collection<UInt8>) throws(MagneticModelError) {
        var count = 0
        var text: [UInt8] = []
        for byte in bytes {
            count += 1
            guard count <= MagneticModel.maximumFileSize else { throw MagneticModelError(.tooLarge) }
            if byte == UInt8(ascii: "\n") {
                try parseLine(text)
                if hasEnded { return }
                text.removeAll(keepingCapacity: true)
                continue
            }
            guard text.count < Self.maximumLineLength else { throw MagneticModelError(.notText, line: line + 1) }
            text.append(byte)
        }
        try parseLine(text)
    }

    func model() throws(MagneticModelError) -> MagneticModel {
        guard let header else { throw MagneticModelError(.empty) }
        guard hasEnded else { throw MagneticModelError(.noEnd) }
        guard degree > 0 else { throw MagneticModelError(.missing(degree: 1, order: 0)) }
        var ordered: [MagneticRow] = []
        for n in 1...degree {
            for m in 0...n {
                guard let row = rows[Self.key(n, m)] else { throw MagneticModelError(.missing(degree: n, order: m)) }
                ordered.append(row)
            }
        }
        return MagneticModel(
            name: header.name, epoch: header.epoch, releaseDate: header.date, degree: degree, rows: ordered)
    }

    private static func key(_ degree: Int, _ order: Int) -> Int { degree * (MagneticModel.maximumDegree + 1) + order }

    private mutating func parseLine(_ bytes: [UInt8]) throws(MagneticModelError) {
        line += 1
        var bytes = bytes[...]
        if line == 1, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
        let isText = bytes.allSatisfy { (0x20...0x7E).contains($0) || Self.isSpace($0) }
        guard isText else { throw error(.notText) }
        let fields = bytes.split(whereSeparator: Self.isSpace).map { String(decoding: $0, as: UTF8.self) }
        guard let first = fields.first else { return }
        if header == nil {
            try parseHeader(fields)
        } else if fields.count == 1, first.utf8.count >= 6, first.utf8.allSatisfy({ $0 == UInt8(ascii: "9") }) {
            hasEnded = true
        } else {
            try parseRow(fields)
        }
    }

    private mutating func parseHeader(_ fields: [String]) throws(MagneticModelError) {
        guard (2...8).contains(fields.count), let epoch = Self.number(fields[0]) else { throw error(.badHeader) }
        // If the line begins with two numbers, it is a row of coefficients, and the header is missing.
        guard Self.number(fields[1]) == nil else { throw error(.badHeader) }
        guard Self.epochs.contains(epoch) else { throw error(.badEpoch) }
        header = (epoch, fields[1], fields.count > 2 ? fields[2] : nil)
    }

    private mutating func parseRow(_ fields: [String]) throws(MagneticModelError) {
        guard fields.count == 6 else { throw error(.badFieldCount(fields.count)) }
        let (n, m) = (try integer(fields[0]), try integer(fields[1]))
        guard (1...MagneticModel.maximumDegree).contains(n), (0...n).contains(m) else {
            throw error(.badOrder(degree: n, order: m))
        }
        let row = MagneticRow(
            g: try coefficient(fields[2]), h: try coefficient(fields[3]), gRate: try coefficient(fields[4]),
            hRate: try coefficient(fields[5]))
        // For order 0, `h` has no effect, because it is multiplied by the sine of zero. Files contain 0 here, so any
        // other value indicates misplaced columns.
        if m == 0, row.h != 0 { throw error(.badNumber(fields[3])) }
        if m == 0, row.hRate != 0 { throw error(.badNumber(fields[5])) }
        guard rows.updateValue(row, forKey: Self.key(n, m)) == nil else { throw error(.duplicate(degree: n, order: m)) }
        degree = max(degree, n)
    }

    private func coefficient(_ text: String) throws(MagneticModelError) -> Double {
        guard let value = Self.number(text), abs(value) <= Self.maximumCoefficient else {
            throw error(.badNumber(text))
        }
        return value
    }

    private func integer(_ text: String) throws(MagneticModelError) -> Int {
        // A number with more than four digits cannot be a degree or an order, and could exceed the range of Int.
        guard text.utf8.count <= 4, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = Int(text) else {
            throw error(.badNumber(text))
        }
        return value
    }

    private func error(_ reason: MagneticModelError.Reason) -> MagneticModelError {
        MagneticModelError(reason, line: line)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }

    /// Parses a finite decimal number. Unlike `Double.init`, rejects "nan" and hexadecimal numbers.
    private static func number(_ text: String) -> Double? {
        let isDecimal = text.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || "+-.eE".utf8.contains(byte)
        }
        guard isDecimal, let value = Double(text), value.isFinite else { return nil }
        return value
    }
}
