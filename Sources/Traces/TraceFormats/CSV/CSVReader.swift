// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace

/// Reads comma-separated text row by row (RFC 4180), without copying cells. Empty lines and lines that begin with `#`
/// are skipped. The last row is skipped if it has no line ending, because its final digits may be missing. The caller
/// must keep the bytes valid while the reader is in use.
struct CSVReader {
    static let maximumColumns = 1024
    /// The maximum size of a row in bytes, which limits the search for a closing quote.
    static let maximumRow = 1 << 20

    struct Cell {
        /// The range of the cell's text, excluding surrounding white space and quotes.
        var range: Range<Int>
        /// True if the cell was quoted. Quotes inside the cell are still doubled.
        var isQuoted = false
    }

    let name: String
    private(set) var cells: [Cell] = []
    private(set) var line = 0
    /// True if the last line of the text has no line ending, so its row may be incomplete.
    private(set) var isTruncated = false
    /// The number of cells in a complete row, or nil until the first row has been read.
    var width: Int?
    private(set) var shortRows = 0
    private(set) var separator = UInt8(ascii: ",")
    private(set) var header: [String] = []
    /// True if numbers may contain a decimal comma. If commas also separate the cells, a number with a decimal comma
    /// must be quoted.
    var allowsDecimalComma = false
    var commaHint = "Export with decimal points, or replace the commas in the numbers."
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0
    private var nextLine = 1
    private var isSeparatorChosen = false
    private var isMissingLineEnd = false

    /// Throws an error if the text is UTF-16.
    init(_ bytes: UnsafeRawBufferPointer, name: String) throws(DeviceError) {
        self.bytes = bytes
        self.name = name
        if bytes.count >= 2, (bytes[0] == 0xff && bytes[1] == 0xfe) || (bytes[0] == 0xfe && bytes[1] == 0xff) {
            throw .invalidTrace("\(name) is UTF-16 text. Convert it first: iconv -f UTF-16 -t UTF-8 \(name)")
        }
        if bytes.count >= 3, bytes[0] == 0xef, bytes[1] == 0xbb, bytes[2] == 0xbf { offset = 3 }
    }

    /// Reads the column names from the first row and converts them to lower case.
    mutating func readHeader(allowsRepeatedNames: Bool = false) throws(DeviceError) {
        chooseSeparator()
        guard try readRow() else { throw .invalidTrace("\(name) is empty and has no header.") }
        header = cells.indices.map { text($0).lowercased() }
        width = header.count
        isTruncated = isMissingLineEnd
        guard !allowsRepeatedNames else { return }
        for (index, column) in header.enumerated() where !column.isEmpty {
            if header[..<index].contains(column) {
                throw position(ofColumn: index).error("there are two columns with this name. Rename or remove one.")
            }
        }
    }

    /// Sets the cell separator. If nil, the separator is detected from the first line.
    mutating func setSeparator(_ byte: UInt8?) {
        if let byte {
            separator = byte
            isSeparatorChosen = true
        } else {
            chooseSeparator()
        }
    }

    mutating func skipLines(_ count: Int) { for _ in 0..<count where offset < bytes.count { skipLine() } }

    /// Returns the index of a column. The name must be in lower case.
    func column(_ name: String) -> Int? { header.firstIndex(of: name) }

    /// Reads the next row into ``cells``. Returns false at the end, or if the last row has no line ending.
    mutating func next() throws(DeviceError) -> Bool {
        guard try readRow() else { return false }
        isTruncated = isMissingLineEnd
        guard !isTruncated else {
            cells.removeAll()
            return false
        }
        let width = width ?? cells.count
        if cells.count < width { shortRows += 1 }
        self.width = width
        return true
    }

    var remarks: [String] {
        var remarks: [String] = []
        if isTruncated {
            remarks.append("Line \(line) of \(name) has no line end and may be truncated. It was skipped.")
        }
        remarks.appendRemark(count: shortRows, "rows of \(name) lack cells at their end, which were treated as empty.")
        return remarks
    }

    func noReadingsError(_ what: String, details: [String] = []) -> DeviceError {
        DeviceError(.invalidTrace, (["\(name) has a header but \(what)."] + remarks + details).joined(separator: " "))
    }

    private mutating func readRow() throws(DeviceError) -> Bool {
        while offset < bytes.count {
            line = nextLine
            cells.removeAll(keepingCapacity: true)
            let start = offset
            skipWhitespace()
            guard offset < bytes.count, bytes[offset] != UInt8(ascii: "#"), !isLineEnd(bytes[offset]) else {
                skipLine()
                continue
            }
            offset = start
            try readRow(from: start)
            return true
        }
        return false
    }

    /// Returns the number in a cell, or nil if the number is missing.
    func number(_ index: Int) throws(DeviceError) -> Double? {
        guard let number = try decimal(index) else { return nil }
        let value = number.double
        return value.isFinite ? value : nil
    }

    enum Content {
        /// The cell is empty, or contains a word that some programs write for a missing value, such as NaN or null.
        case missing
        case number(DecimalNumber)
        case decimalComma
        case unreadable
    }

    func decimal(_ index: Int) throws(DeviceError) -> DecimalNumber? {
        switch content(index) {
        case .missing: return nil
        case .number(let number): return number
        case .decimalComma:
            throw position(ofColumn: index).error("\"\(text(index).prefix(40))\" has a decimal comma. \(commaHint)")
        case .unreadable:
            throw position(ofColumn: index).error(
                "\"\(text(index).prefix(40))\" is not a number. Correct it, or leave the cell empty.")
        }
    }

    /// Returns the time in a cell, converted from seconds to nanoseconds, or nil if the time is missing.
    func nanoseconds(inSecondsColumn index: Int) throws(DeviceError) -> Int64? {
        guard let number = try decimal(index) else { return nil }
        guard let time = number.scaled(byPowerOfTen: 9) else {
            throw position(ofColumn: index).error(
                "the time \"\(text(index).prefix(40))\" is out of range; it must be in seconds.")
        }
        return time
    }

    func content(_ index: Int) -> Content {
        guard index >= 0, index < cells.count, !cells[index].range.isEmpty else { return .missing }
        let contents = UnsafeRawBufferPointer(rebasing: bytes[cells[index].range])
        if let number = DecimalNumber(contents) { return .number(number) }
        if allowsDecimalComma, separator != UInt8(ascii: ",") || cells[index].isQuoted,
            let number = DecimalNumber(contents, mark: UInt8(ascii: ","))
        {
            return .number(number)
        }
        if Self.isMissing(contents) { return .missing }
        return DecimalNumber.hasComma(contents) ? .decimalComma : .unreadable
    }

    func isMissing(_ index: Int) -> Bool {
        if case .missing = content(index) { return true }
        return false
    }

    /// Returns true if the row contains units instead of readings: at least one of the given cells contains text, and
    /// none contains a number.
    func isRowOfUnits(_ indices: some Sequence<Int>) -> Bool {
        var hasText = false
        for index in indices {
            switch content(index) {
            case .missing: if !text(index).isEmpty { hasText = true }
            case .number, .decimalComma: return false
            case .unreadable: hasText = true
            }
        }
        return hasText
    }

    func text(_ index: Int) -> String {
        guard index >= 0, index < cells.count else { return "" }
        let text = String(decoding: bytes[cells[index].range], as: UTF8.self)
        return cells[index].isQuoted ? text.replacing("\"\"", with: "\"") : text
    }

    func position(ofColumn index: Int?) -> FilePosition {
        FilePosition(
            name: name, line: line, column: index.map { $0 + 1 },
            columnName: index.flatMap { header.indices.contains($0) ? header[$0] : nil } ?? "")
    }

    func error(_ what: String) -> DeviceError { position(ofColumn: nil).error(what) }

    private mutating func readRow(from start: Int) throws(DeviceError) {
        isMissingLineEnd = false
        while true {
            guard cells.count < Self.maximumColumns else {
                throw error("the row has more than \(Self.maximumColumns) cells. Is it the right file?")
            }
            skipWhitespace()
            if offset < bytes.count, bytes[offset] == UInt8(ascii: "\"") {
                try readQuoted(from: start)
            } else {
                readPlain()
            }
            guard offset < bytes.count else {
                isMissingLineEnd = true
                break
            }
            if bytes[offset] == separator {
                offset &+= 1
            } else {
                endLine()
                break
            }
        }
        guard header.isEmpty || cells.count <= header.count else {
            // A trailing separator adds an empty cell, which is removed.
            if cells.count == header.count + 1, cells[header.count].range.isEmpty {
                cells.removeLast()
                return
            }
            let hint =
                separator == UInt8(ascii: ",") && cells.count >= 2 * header.count - 1
                ? "Its numbers may have decimal commas. Export with decimal points." : "Correct the row or the header."
            throw error("the row has \(cells.count) cells, but the header has \(header.count). \(hint)")
        }
    }

    private mutating func readPlain() {
        let start = offset
        while offset < bytes.count, bytes[offset] != separator, !isLineEnd(bytes[offset]) { offset &+= 1 }
        var end = offset
        while end > start, Self.isWhitespaceOrZero(bytes[end &- 1]) { end &-= 1 }
        cells.append(Cell(range: start..<end))
    }

    private mutating func readQuoted(from rowStart: Int) throws(DeviceError) {
        let here = position(ofColumn: cells.count)
        offset &+= 1
        let start = offset
        var hasLines = false
        while true {
            // An unclosed quote in the last line is accepted, because the file is probably truncated.
            if offset >= bytes.count, !hasLines, offset &- rowStart <= Self.maximumRow {
                cells.append(Cell(range: start..<offset, isQuoted: true))
                return
            }
            guard offset < bytes.count, offset &- rowStart <= Self.maximumRow else {
                throw here.error("a quote begins here but is never closed. Close it, or remove it.")
            }
            if bytes[offset] == UInt8(ascii: "\"") {
                guard offset &+ 1 < bytes.count, bytes[offset &+ 1] == UInt8(ascii: "\"") else { break }
                offset &+= 1
            } else if isLineEnd(bytes[offset]) {
                hasLines = true
                endLine()
                continue
            }
            offset &+= 1
        }
        cells.append(Cell(range: start..<offset, isQuoted: true))
        offset &+= 1
        skipWhitespace()
        guard offset >= bytes.count || bytes[offset] == separator || isLineEnd(bytes[offset]) else {
            throw here.error("there is text after a closing quote. Double a quote inside a quoted cell.")
        }
    }

    private mutating func skipLine() {
        while offset < bytes.count, !isLineEnd(bytes[offset]) { offset &+= 1 }
        endLine()
    }

    private mutating func endLine() {
        guard offset < bytes.count else { return }
        nextLine += 1
        let isReturn = bytes[offset] == UInt8(ascii: "\r")
        offset &+= 1
        if isReturn, offset < bytes.count, bytes[offset] == UInt8(ascii: "\n") { offset &+= 1 }
    }

    private mutating func skipWhitespace() {
        while offset < bytes.count, Self.isWhitespaceOrZero(bytes[offset]), bytes[offset] != separator { offset &+= 1 }
    }

    /// Chooses the separator from the first line that is neither blank nor a comment. A semicolon or a tab is chosen if
    /// it occurs more often than the comma.
    private mutating func chooseSeparator() {
        guard !isSeparatorChosen else { return }
        isSeparatorChosen = true
        var rest = bytes[offset...].prefix(Self.maximumRow)
        var first = rest.prefix(0)
        while !rest.isEmpty,
            first.first(where: { !Self.isWhitespaceOrZero($0) }).map({ $0 == UInt8(ascii: "#") }) ?? true
        {
            first = rest.prefix { !isLineEnd($0) }
            rest = rest.dropFirst(first.count + 1)
        }
        func count(_ separator: UInt8) -> Int { first.count { $0 == separator } }
        let commas = count(UInt8(ascii: ","))
        if count(UInt8(ascii: ";")) > commas {
            separator = UInt8(ascii: ";")
        } else if count(UInt8(ascii: "\t")) > commas {
            separator = UInt8(ascii: "\t")
        }
    }

    @inline(__always)
    private func isLineEnd(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") }

    /// Returns true for white space and for zero bytes, which often pad files after a power failure.
    @inline(__always)
    private static func isWhitespaceOrZero(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0 }

    private static func isMissing(_ text: UnsafeRawBufferPointer) -> Bool {
        guard text.count <= 9 else { return false }
        let word = String(decoding: text, as: UTF8.self).lowercased()
        return ["nan", "-nan", "null", "none", "na", "n/a", "inf", "-inf", "+inf", "infinity", "-infinity", "-"]
            .contains(word)
    }
}
