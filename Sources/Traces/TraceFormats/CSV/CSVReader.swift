// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace

/// Goes through comma-separated text row by row (RFC 4180), without copying cells.
///
/// Quotes, line ends of any kind and a byte order mark are understood; empty lines and lines that begin with # are
/// passed over. A last row without a line end is left out: nobody can tell whether digits of it are missing. The bytes are
/// borrowed: they stay in place for as long as the reader lives.
struct CSVReader {
    /// The most columns of a row.
    static let maximumColumns = 1024
    /// The longest row, in bytes: a quote that is never closed must not swallow a file.
    static let maximumRow = 1 << 20

    /// A cell of the row that was read last.
    struct Cell {
        /// Its contents, without blanks and quotes around them.
        var range: Range<Int>
        /// True when it stood in quotes; quotes in it are doubled.
        var isQuoted = false
    }

    /// What to call the text in messages.
    let name: String
    /// The cells of the row that was read last.
    private(set) var cells: [Cell] = []
    /// The line that this row begins on, counted from 1.
    private(set) var line = 0
    /// True when no line end came behind the last row, which was left out then, or behind the header.
    private(set) var isCutOff = false
    /// The cells that a row has when it is whole; nil for those of the first row, which is the header where there is one.
    var width: Int?
    /// The rows with fewer cells.
    private(set) var shortRows = 0
    /// What stands between cells.
    private(set) var separator = UInt8(ascii: ",")
    /// The names of the columns; empty before the header was read.
    private(set) var header: [String] = []
    /// True where numbers may have a comma in place of the point, in cells that a comma does not end.
    var allowsDecimalComma = false
    /// What to do about numbers with a comma that are not allowed.
    var commaHint = "Export with decimal points, or replace the commas in the numbers."

    private let bytes: UnsafeRawBufferPointer
    private var offset = 0
    private var nextLine = 1
    private var isSeparatorChosen = false
    private var isOpenEnded = false

    /// A reader at the start of a text.
    init(_ bytes: UnsafeRawBufferPointer, name: String) throws(DeviceError) {
        self.bytes = bytes
        self.name = name
        if bytes.count >= 2, (bytes[0] == 0xff && bytes[1] == 0xfe) || (bytes[0] == 0xfe && bytes[1] == 0xff) {
            throw DeviceError(
                .invalidTrace, "\(name) is text in UTF-16. Convert it first: iconv -f UTF-16 -t UTF-8 \(name)")
        }
        if bytes.count >= 3, bytes[0] == 0xef, bytes[1] == 0xbb, bytes[2] == 0xbf { offset = 3 }
    }

    /// Reads the first row as the names of the columns, in lower case. Semicolons and tabs are recognised as separators.
    ///
    /// - Parameter allowsRepeatedNames: whether two columns may have one name.
    mutating func readHeader(allowsRepeatedNames: Bool = false) throws(DeviceError) {
        chooseSeparator()
        guard try readRow() else {
            throw DeviceError(.invalidTrace, "\(name) is empty: there is not even a header in it.")
        }
        header = cells.indices.map { text($0).lowercased() }
        width = header.count
        isCutOff = isOpenEnded
        guard !allowsRepeatedNames else { return }
        for (index, column) in header.enumerated() where !column.isEmpty {
            if header[..<index].contains(column) {
                throw place(index).error("there are two columns of this name. Rename or remove one.")
            }
        }
    }

    /// Sets what stands between cells, in place of what the first line seems to have; nil for that.
    mutating func setSeparator(_ byte: UInt8?) {
        if let byte {
            separator = byte
            isSeparatorChosen = true
        } else {
            chooseSeparator()
        }
    }

    /// Passes over whole lines, whatever is in them.
    mutating func skipLines(_ count: Int) { for _ in 0..<count where offset < bytes.count { skipLine() } }

    /// The index of the column of that name, which is in lower case.
    func column(_ name: String) -> Int? { header.firstIndex(of: name) }

    /// Reads the next row; false at the end.
    mutating func next() throws(DeviceError) -> Bool {
        guard try readRow() else { return false }
        isCutOff = isOpenEnded
        guard !isCutOff else {
            cells.removeAll()
            return false
        }
        let width = width ?? cells.count
        if cells.count < width { shortRows += 1 }
        self.width = width
        return true
    }

    /// What somebody should know of the rows so far: whether the last one was left out, and how many lack cells.
    var remarks: [String] {
        var remarks: [String] = []
        if isCutOff {
            remarks.append("Line \(line) of \(name) has no line end and may have been cut off. It gives no reading.")
        }
        remarks.tell(shortRows, "rows of \(name) lack cells at their end. What they lack was not read.")
        return remarks
    }

    /// The error of a table in which that was found, with why.
    func nothingFound(_ what: String, more: [String] = []) -> DeviceError {
        DeviceError(.invalidTrace, (["\(name) has a header and \(what)."] + remarks + more).joined(separator: " "))
    }

    private mutating func readRow() throws(DeviceError) -> Bool {
        while offset < bytes.count {
            line = nextLine
            cells.removeAll(keepingCapacity: true)
            let start = offset
            skipBlanks()
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

    /// The number in a cell; nil when the cell is missing, empty, or says in one of the usual words that there is none.
    func number(_ index: Int) throws(DeviceError) -> Double? {
        guard let number = try decimal(index) else { return nil }
        let value = number.double
        return value.isFinite ? value : nil
    }

    /// The content of a numeric cell.
    enum Content {
        /// An empty cell, or a word for a missing value such as NaN or null.
        case nothing
        case number(DecimalNumber)
        case decimalComma
        case unreadable
    }

    /// The number in a cell with all its digits; nil as for ``number(_:)``.
    func decimal(_ index: Int) throws(DeviceError) -> DecimalNumber? {
        switch content(index) {
        case .nothing: return nil
        case .number(let number): return number
        case .decimalComma:
            throw place(index).error("\"\(text(index).prefix(40))\" has a decimal comma. \(commaHint)")
        case .unreadable:
            throw place(index).error(
                "\"\(text(index).prefix(40))\" is not a number. Correct it, or leave the cell empty.")
        }
    }

    /// The content of a numeric cell; `nothing` when the cell is missing.
    func content(_ index: Int) -> Content {
        guard index >= 0, index < cells.count, !cells[index].range.isEmpty else { return .nothing }
        let contents = UnsafeRawBufferPointer(rebasing: bytes[cells[index].range])
        if let number = DecimalNumber(contents) { return .number(number) }
        if allowsDecimalComma, separator != UInt8(ascii: ",") || cells[index].isQuoted,
            let number = DecimalNumber(contents, mark: UInt8(ascii: ","))
        {
            return .number(number)
        }
        if Self.isNothing(contents) { return .nothing }
        return DecimalNumber.hasComma(contents) ? .decimalComma : .unreadable
    }

    /// True for an empty cell, or a word for a missing value.
    func isNothing(_ index: Int) -> Bool {
        if case .nothing = content(index) { return true }
        return false
    }

    /// True when none of these cells holds a number and some hold text, as in a row of units below the header.
    func isRowOfUnits(_ indices: some Sequence<Int>) -> Bool {
        var hasText = false
        for index in indices {
            switch content(index) {
            case .nothing: if !text(index).isEmpty { hasText = true }
            case .number, .decimalComma: return false
            case .unreadable: hasText = true
            }
        }
        return hasText
    }

    /// The text in a cell; empty when the cell is missing.
    func text(_ index: Int) -> String {
        guard index >= 0, index < cells.count else { return "" }
        let text = String(decoding: bytes[cells[index].range], as: UTF8.self)
        return cells[index].isQuoted ? text.replacing("\"\"", with: "\"") : text
    }

    /// The place of a cell of the row that was read last.
    func place(_ index: Int?) -> FilePlace {
        FilePlace(
            name: name, line: line, column: index.map { $0 + 1 },
            columnName: index.flatMap { header.indices.contains($0) ? header[$0] : nil } ?? "")
    }

    private mutating func readRow(from start: Int) throws(DeviceError) {
        isOpenEnded = false
        while true {
            guard cells.count < Self.maximumColumns else {
                throw place(nil).error("the row has more than \(Self.maximumColumns) cells. Is it another file?")
            }
            skipBlanks()
            if offset < bytes.count, bytes[offset] == UInt8(ascii: "\"") {
                try readQuoted(from: start)
            } else {
                readPlain()
            }
            guard offset < bytes.count else {
                isOpenEnded = true
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
            // One more empty cell is what a separator at the end of each line makes.
            if cells.count == header.count + 1, cells[header.count].range.isEmpty {
                cells.removeLast()
                return
            }
            let hint =
                separator == UInt8(ascii: ",") && cells.count >= 2 * header.count - 1
                ? "These look like decimal commas: export with decimal points." : "Correct the row or the header."
            throw place(nil).error("there are \(cells.count) cells, and the header names \(header.count). \(hint)")
        }
    }

    private mutating func readPlain() {
        let start = offset
        while offset < bytes.count, bytes[offset] != separator, !isLineEnd(bytes[offset]) { offset &+= 1 }
        var end = offset
        while end > start, Self.isBlank(bytes[end &- 1]) { end &-= 1 }
        cells.append(Cell(range: start..<end))
    }

    private mutating func readQuoted(from rowStart: Int) throws(DeviceError) {
        let here = place(cells.count)
        offset &+= 1
        let start = offset
        var hasLines = false
        while true {
            // Cut off, unless whole lines are in it: then the quote is a mistake.
            if offset >= bytes.count, !hasLines, offset &- rowStart <= Self.maximumRow {
                cells.append(Cell(range: start..<offset, isQuoted: true))
                return
            }
            guard offset < bytes.count, offset &- rowStart <= Self.maximumRow else {
                throw here.error("a quote opens here and is never closed. Close it, or remove it.")
            }
            if bytes[offset] == UInt8(ascii: "\"") {
                guard offset &+ 1 < bytes.count, bytes[offset &+ 1] == UInt8(ascii: "\"") else { break }
                offset &+= 1
            } else if isLineEnd(bytes[offset]) {
                hasLines = true
                if bytes[offset] == UInt8(ascii: "\n") { nextLine += 1 }
            }
            offset &+= 1
        }
        cells.append(Cell(range: start..<offset, isQuoted: true))
        offset &+= 1
        skipBlanks()
        guard offset >= bytes.count || bytes[offset] == separator || isLineEnd(bytes[offset]) else {
            throw here.error("text stands behind a closing quote. A quote inside a quoted cell is written twice.")
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

    private mutating func skipBlanks() {
        while offset < bytes.count, Self.isBlank(bytes[offset]), bytes[offset] != separator { offset &+= 1 }
    }

    /// Looks at the first line with something in it: without commas, semicolons or tabs separate.
    private mutating func chooseSeparator() {
        guard !isSeparatorChosen else { return }
        isSeparatorChosen = true
        var rest = bytes[offset...].prefix(Self.maximumRow)
        var first = rest.prefix(0)
        while !rest.isEmpty, first.first(where: { !Self.isBlank($0) }).map({ $0 == UInt8(ascii: "#") }) ?? true {
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

    /// A file that lost its end in a power cut is often padded with zero bytes.
    @inline(__always)
    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0 }

    /// True for the words that programs write where there is no number.
    private static func isNothing(_ text: UnsafeRawBufferPointer) -> Bool {
        guard text.count <= 9 else { return false }
        let word = String(decoding: text, as: UTF8.self).lowercased()
        return ["nan", "-nan", "null", "none", "na", "n/a", "inf", "-inf", "+inf", "infinity", "-infinity", "-"]
            .contains(word)
    }
}
