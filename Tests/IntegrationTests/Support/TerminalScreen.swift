// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The screen of a VT100-compatible terminal, which shows tests the positions of a program's output.
final class TerminalScreen: Sendable {
    fileprivate struct State {
        let height: Int
        let width: Int
        var cells: [[Unicode.Scalar]]
        var row = 0
        var column = 0
        /// The scrolling region.
        var region: ClosedRange<Int>
        /// An incomplete escape sequence.
        var sequence: [Unicode.Scalar] = []
        var linesTaken = 0
    }

    private let state: Mutex<State>

    init(rows height: Int, columns width: Int) {
        let blank = [Unicode.Scalar](repeating: " ", count: width)
        state = Mutex(
            State(
                height: height, width: width, cells: [[Unicode.Scalar]](repeating: blank, count: height),
                region: 0...height - 1))
    }

    /// The rows from the top.
    var rows: [String] {
        state.withLock { state in
            state.cells.map { row in
                var text = String.UnicodeScalarView()
                text.append(contentsOf: row)
                return String(text)
            }
        }
    }

    /// Processes the output since the last call.
    ///
    /// - Parameter lines: All output so far, split at line feeds.
    func take(_ lines: [String]) {
        state.withLock { state in
            for line in lines[state.linesTaken...] {
                for scalar in line.unicodeScalars { state.take(scalar) }
                state.take("\n")
            }
            state.linesTaken = lines.count
        }
    }

    /// Returns the word after a label, in the first row that contains the label.
    func field(behind label: String) -> String? {
        for row in rows {
            guard let end = row.firstRange(of: label)?.upperBound else { continue }
            return row[end...].drop { $0 == " " }.prefix { $0 != " " }.description
        }
        return nil
    }
}

extension TerminalScreen.State {
    fileprivate mutating func take(_ scalar: Unicode.Scalar) {
        guard sequence.isEmpty else {
            sequence.append(scalar)
            return runSequence()
        }
        switch scalar {
        case "\u{1b}": sequence = [scalar]
        case "\r": column = 0
        case "\n": lineFeed()
        case "\u{8}": column = max(0, column - 1)
        case "\t": column = min(width - 1, (column / 8 + 1) * 8)
        case "\0"..."\u{1f}", "\u{7f}": break
        default:
            cells[row][column] = scalar
            // Does not wrap at the right margin, because no program here depends on it.
            column = min(width - 1, column + 1)
        }
    }

    private mutating func lineFeed() {
        if row == region.upperBound {
            cells.remove(at: region.lowerBound)
            cells.insert(blank, at: region.upperBound)
        } else {
            row = min(height - 1, row + 1)
        }
    }

    private mutating func reverseLineFeed() {
        if row == region.lowerBound {
            cells.remove(at: region.upperBound)
            cells.insert(blank, at: region.lowerBound)
        } else {
            row = max(0, row - 1)
        }
    }

    private var blank: [Unicode.Scalar] { [Unicode.Scalar](repeating: " ", count: width) }

    private mutating func runSequence() {
        switch sequence[1] {
        case "[":
            guard let last = sequence.last, sequence.count > 2, ("@"..."~").contains(last) else { return }
            control(last, sequence[2...].dropLast())
        // Sequences that select a character set have one more letter.
        case "(", ")": guard sequence.count == 3 else { return }
        case "M": reverseLineFeed()
        default: break
        }
        sequence = []
    }

    private mutating func control(_ command: Unicode.Scalar, _ text: ArraySlice<Unicode.Scalar>) {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: text)
        let numbers = String(view).split(separator: ";", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
        let first = numbers.first ?? 0
        let second = numbers.count > 1 ? numbers[1] : 0
        switch command {
        case "H", "f":
            row = min(max(first, 1), height) - 1
            column = min(max(second, 1), width) - 1
        case "A": row = max(0, row - max(first, 1))
        case "B": row = min(height - 1, row + max(first, 1))
        case "C": column = min(width - 1, column + max(first, 1))
        case "D": column = max(0, column - max(first, 1))
        case "J":
            if first == 0 { clearRow(from: column) }
            for other in cells.indices where first == 2 || (first == 0 && other > row) { cells[other] = blank }
        case "K":
            if first == 0 { clearRow(from: column) } else { clearRow(from: 0, to: first == 1 ? column : width - 1) }
        case "r":
            let (top, bottom) = (max(first, 1) - 1, (second == 0 ? height : min(second, height)) - 1)
            if top < bottom { region = top...bottom }
            (row, column) = (0, 0)
        default: break
        }
    }

    private mutating func clearRow(from start: Int, to end: Int? = nil) {
        for column in start...(end ?? width - 1) { cells[row][column] = " " }
    }
}
