// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

extension MountMatrix {
    /// Reads nine numbers, row by row: `r, r, r; r, r, r; r, r, r`, as the kernel and systemd write them.
    ///
    /// Nil when there are not nine finite numbers with decimal points. Whether the matrix can be used is another
    /// question: see ``problem``.
    public init?(_ text: String) {
        guard text.utf8.count <= 1000 else { return nil }
        let rows = text.split(separator: ";", omittingEmptySubsequences: true).map { row in
            row.split(whereSeparator: { $0 == "," || $0.isWhitespace || $0 == "\0" }).map { Double($0) }
        }.filter { !$0.isEmpty }
        let numbers = rows.flatMap { $0 }.compactMap { $0 }
        guard rows.count == 3, rows.allSatisfy({ $0.count == 3 }), numbers.count == 9,
            numbers.allSatisfy({ $0.isFinite && abs($0) < 1e6 })
        else { return nil }
        self.init(
            [numbers[0], numbers[1], numbers[2]], [numbers[3], numbers[4], numbers[5]],
            [numbers[6], numbers[7], numbers[8]])
    }

    /// Why readings would be wrong with it, in words; nil when it is a rotation or close to one.
    ///
    /// A singular matrix loses a direction. One that mirrors (a negative determinant) is no rotation: gyroscopes and
    /// magnetometers cannot use it.
    public var problem: String? {
        if !determinant.isFinite || abs(determinant) < 1e-3 { return "it is singular: it loses at least one direction" }
        if determinant < 0 { return "it mirrors: its determinant is negative" }
        return nil
    }

    /// True when it loses a direction, so that no reading can be right.
    public var isSingular: Bool { !determinant.isFinite || abs(determinant) < 1e-3 }

    /// The nine numbers, row by row, as the kernel writes them.
    public var text: String {
        let (first, second, third) = rows
        return [first, second, third].map { row in
            [row.x, row.y, row.z].map { number in
                // The kernel writes whole numbers without decimals.
                number == number.rounded() && abs(number) < 1e6 ? "\(Int32(number))" : "\(number)"
            }.joined(separator: ", ")
        }.joined(separator: "; ")
    }
}
