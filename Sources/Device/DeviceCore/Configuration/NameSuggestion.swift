// SPDX-License-Identifier: Apache-2.0

/// Finds the names that users probably meant when they misspelled them.
package enum NameSuggestion {
    /// Returns " Did you mean 'NAME'?", to be appended to an error message, or an empty string if no name is similar.
    package static func question(_ word: some StringProtocol, among names: [String]) -> String {
        closest(to: word, among: names).map { " Did you mean '\($0)'?" } ?? ""
    }

    /// Returns the name that is most similar to the word, or nil if none is similar.
    ///
    /// A name is similar if the word is its beginning, with at least three letters, or if correcting at most a third of
    /// the word's letters, but at least one, yields the name. Case is ignored.
    package static func closest(to word: some StringProtocol, among names: [String]) -> String? {
        let word = word.lowercased()
        guard word.utf8.count >= 2, word.utf8.count <= 64 else { return nil }
        let limit = max(1, word.utf8.count / 3)
        let ranked = names.map { name -> (name: String, distance: Int) in
            let isBeginning = word.utf8.count >= 3 && name.lowercased().hasPrefix(word)
            return (name, isBeginning ? 1 : editDistance(word, name.lowercased()))
        }
        guard let best = ranked.min(by: { $0.distance < $1.distance }), best.distance <= limit else { return nil }
        return best.name
    }

    /// Returns the names in the first column of a help text's table, such as `half` for "half, half=300ms  MEANING".
    package static func names(inTable table: String) -> [String] {
        var names: [String] = []
        for line in table.split(separator: "\n") {
            for form in line.prefix(upTo: line.firstRange(of: "  ")?.lowerBound ?? line.endIndex).split(separator: ",")
            {
                let name = form.drop { $0 == " " }.prefix { $0.isLetter || $0.isNumber || $0 == "-" }
                if !name.isEmpty, !names.contains(String(name)) { names.append(String(name)) }
            }
        }
        return names
    }

    /// Returns the number of letters that must be inserted, deleted, replaced or exchanged with their neighbours to turn
    /// one word into the other (optimal string alignment).
    static func editDistance(_ first: String, _ second: String) -> Int {
        let (first, second) = (Array(first), Array(second))
        var rows = [Array(0...second.count)]
        for (i, letter) in first.enumerated() {
            var row = [i + 1]
            for (j, other) in second.enumerated() {
                var distance = min(row[j] + 1, rows[i][j + 1] + 1, rows[i][j] + (letter == other ? 0 : 1))
                if i > 0, j > 0, letter == second[j - 1], first[i - 1] == other {
                    distance = min(distance, rows[i - 1][j - 1] + 1)
                }
                row.append(distance)
            }
            rows.append(row)
        }
        return rows[first.count][second.count]
    }
}
