// SPDX-License-Identifier: Apache-2.0

/// Turns readings from a sensor's own axes into those of the device it is mounted in.
///
/// Three rows of three numbers: the device's vector is the matrix times the sensor's. In the device's axes x points to
/// the right, y to the top edge and z out of the screen.
public struct MountMatrix: Sendable, Hashable {
    /// The first, second and third row: each gives one component of the device's vector.
    public var rows: (SIMD3<Double>, SIMD3<Double>, SIMD3<Double>) {
        get { (row0, row1, row2) }
        set { (row0, row1, row2) = newValue }
    }

    private var row0: SIMD3<Double>
    private var row1: SIMD3<Double>
    private var row2: SIMD3<Double>

    /// A matrix of those rows; nothing is checked.
    public init(_ row0: SIMD3<Double>, _ row1: SIMD3<Double>, _ row2: SIMD3<Double>) {
        self.row0 = row0
        self.row1 = row1
        self.row2 = row2
    }

    /// The sensor's axes are the device's.
    public static let identity = MountMatrix([1, 0, 0], [0, 1, 0], [0, 0, 1])

    /// True when readings stay as they are.
    public var isIdentity: Bool { self == .identity }

    /// The vector in the device's axes.
    @inlinable
    public func apply(to vector: SIMD3<Double>) -> SIMD3<Double> {
        let (first, second, third) = rows
        return SIMD3((first * vector).sum(), (second * vector).sum(), (third * vector).sum())
    }

    /// The determinant: 1 for a rotation, -1 for a rotation with a mirror, near 0 when directions are lost.
    public var determinant: Double {
        row0.x * (row1.y * row2.z - row1.z * row2.y)
            - row0.y * (row1.x * row2.z - row1.z * row2.x)
            + row0.z * (row1.x * row2.y - row1.y * row2.x)
    }

    /// The matrix with the signs of all components turned.
    public var negated: MountMatrix { MountMatrix(-row0, -row1, -row2) }
}

extension MountMatrix {
    /// What becomes of a matrix of the kernel's convention.
    package enum Use {
        /// It holds nothing but zeros: nobody has filled it in.
        case zeros
        /// It cannot be used, and why.
        case refused(String)
        /// It is used; there may be something to say.
        case taken(remark: String?)
    }

    /// Whether a sensor of that kind can use it; `origin` says in words where it comes from.
    package func use(for kind: SensorKind, origin: String) -> Use {
        let (first, second, third) = rows
        if first == .zero, second == .zero, third == .zero { return .zeros }
        let name = "The mount matrix of \(origin)"
        if isSingular { return .refused("\(name) is singular: it loses a direction, and is left out.") }
        guard determinant < 0 else { return .taken(remark: nil) }
        guard kind == .accelerometer else {
            return .refused("\(name) mirrors, which is no way to mount a \(kind.rawValue): it is left out.")
        }
        return .taken(
            remark: "\(name) mirrors (its determinant is negative): the device's axes may be wrong. "
                + "If it was made for the windows convention, say so in the configuration.")
    }

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
        if isSingular { return "it is singular: it loses at least one direction" }
        return determinant < 0 ? "it mirrors: its determinant is negative" : nil
    }

    /// True when it loses a direction, so that no reading can be right.
    public var isSingular: Bool { !determinant.isFinite || abs(determinant) < 1e-3 }

    /// The nine numbers, row by row, as the kernel writes them.
    public var text: String {
        "\(Self.text(row0)); \(Self.text(row1)); \(Self.text(row2))"
    }

    private static func text(_ row: SIMD3<Double>) -> String { "\(text(row.x)), \(text(row.y)), \(text(row.z))" }

    /// The kernel writes whole numbers without decimals.
    private static func text(_ number: Double) -> String {
        if number == number.rounded(), abs(number) < 1e6 { return "\(Int32(number))" }
        return "\(number)"
    }
}
