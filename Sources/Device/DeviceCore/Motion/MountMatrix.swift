// SPDX-License-Identifier: Apache-2.0

/// A matrix that rotates readings from the sensor's own axes into the device's axes. The device's vector is the product
/// of the 3×3 matrix and the sensor's vector. In the device's axes, x points to the right, y to the top edge and z out
/// of the screen.
public struct MountMatrix: Sendable, Hashable {
    /// The rows of the matrix. Each row yields one component of the device's vector.
    public var rows: (SIMD3<Double>, SIMD3<Double>, SIMD3<Double>) {
        get { (row0, row1, row2) }
        set { (row0, row1, row2) = newValue }
    }

    private var row0: SIMD3<Double>
    private var row1: SIMD3<Double>
    private var row2: SIMD3<Double>

    /// Creates a matrix from its rows, without validation.
    public init(_ row0: SIMD3<Double>, _ row1: SIMD3<Double>, _ row2: SIMD3<Double>) {
        self.row0 = row0
        self.row1 = row1
        self.row2 = row2
    }

    /// The identity matrix: the sensor's axes are the device's axes.
    public static let identity = MountMatrix([1, 0, 0], [0, 1, 0], [0, 0, 1])

    package var isIdentity: Bool { self == .identity }

    /// Rotates a vector into the device's axes.
    @inlinable public func apply(to vector: SIMD3<Double>) -> SIMD3<Double> {
        let (first, second, third) = rows
        return SIMD3((first * vector).sum(), (second * vector).sum(), (third * vector).sum())
    }

    /// The determinant: 1 for a rotation, -1 for a rotation combined with a reflection, near 0 for a singular matrix.
    package var determinant: Double {
        row0.x * (row1.y * row2.z - row1.z * row2.y) - row0.y * (row1.x * row2.z - row1.z * row2.x) + row0.z
            * (row1.x * row2.y - row1.y * row2.x)
    }

    package var negated: MountMatrix { MountMatrix(-row0, -row1, -row2) }
}

extension MountMatrix {
    /// The result of validating a matrix that follows the kernel's convention.
    package enum Validity {
        /// All elements are zero, because the matrix was never filled in.
        case empty
        /// The matrix is unusable for the given reason.
        case rejected(String)
        /// The matrix is usable. The remark, if there is one, describes a minor problem.
        case accepted(remark: String?)
    }

    package func validity(for kind: SensorKind, origin: String) -> Validity {
        let (first, second, third) = rows
        if first == .zero, second == .zero, third == .zero { return .empty }
        let name = "The mount matrix from \(origin)"
        if isSingular { return .rejected("\(name) is singular and is ignored.") }
        guard determinant < 0 else { return .accepted(remark: nil) }
        guard kind == .accelerometer else {
            return .rejected("\(name) contains a reflection, which is invalid for a \(kind.rawValue). It is ignored.")
        }
        return .accepted(
            remark: "\(name) contains a reflection (its determinant is negative): the device's axes may be wrong. "
                + "If it follows the windows convention, set the convention in the configuration.")
    }

    /// Parses nine finite numbers, row by row, in the notation of the kernel and systemd: `r, r, r; r, r, r; r, r, r`.
    /// Returns nil for any other text. Does not check whether the matrix is a rotation.
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

    /// The reason why the matrix is not a rotation: it is singular, or it contains a reflection. nil if it is a
    /// rotation. Gyroscopes and magnetometers cannot use a matrix that contains a reflection.
    package var problem: String? {
        if isSingular { return "it is singular (it loses at least one direction)" }
        return determinant < 0 ? "it contains a reflection (its determinant is negative)" : nil
    }

    /// True if the matrix maps some direction to zero, or nearly to zero. Such a matrix makes every reading invalid.
    package var isSingular: Bool { !determinant.isFinite || abs(determinant) < 1e-3 }

    /// The nine numbers, row by row, in the kernel's notation.
    public var text: String { "\(Self.text(row0)); \(Self.text(row1)); \(Self.text(row2))" }

    private static func text(_ row: SIMD3<Double>) -> String { "\(text(row.x)), \(text(row.y)), \(text(row.z))" }

    /// Formats integers without decimals, as the kernel does.
    private static func text(_ number: Double) -> String {
        if number == number.rounded(), abs(number) < 1e6 { return "\(Int32(number))" }
        return "\(number)"
    }
}
