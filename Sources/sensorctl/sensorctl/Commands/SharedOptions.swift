// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CoreLocation
import CoreMotion
import SensorTools
import TraceEditing

struct OutputOptions: ParsableArguments { @Flag(help: "Print one JSON object per line.") var json = false }

struct NewFileOptions: ParsableArguments {
    @Flag(help: "Replace an existing file.") var overwrite = false

    @Option(
        help: .init(
            "The permissions of the new file, such as 0640. By default, only the owner can read the file (0600), because recordings contain positions.",
            valueName: "mode"))
    var mode: FileMode?
}

/// File permissions in octal, as in chmod(1). The owner must have read and write permissions.
struct FileMode: ExpressibleByArgument, Equatable {
    let bits: UInt32

    init?(argument: String) {
        guard (3...4).contains(argument.utf8.count), let bits = UInt32(argument, radix: 8), bits <= 0o777,
            bits & 0o600 == 0o600
        else { return nil }
        self.bits = bits
    }
}

struct ProgramOptions: ParsableArguments {
    @Option(help: "Stop after this time, such as 90s or 2m.", transform: Seconds.parse) var duration: Double?
    @OptionGroup var output: OutputOptions

    @Argument(parsing: .postTerminator, help: "The program to run with the simulated devices, and its arguments.")
    var program: [String] = []

    func validate() throws {
        try Self.validate(duration: duration)
        try Self.validate(program: program, json: output.json)
    }
}

extension ParsableArguments {
    static func rejectIf(_ isWrong: Bool, _ message: @autoclosure () -> String) throws {
        if isWrong { throw ValidationError(message()) }
    }

    /// Throws an error unless the duration is positive and at most 1e8 s, the maximum for a timer.
    static func validate(duration: Double?, option: String = "--duration") throws {
        guard let duration else { return }
        try rejectIf(
            !(duration > 0 && duration <= 1e8), "\(option) must be more than 0 and at most 100000000 seconds.")
    }

    static func validate(interval: Double) throws {
        try rejectIf(!(0...3600).contains(interval), "--interval must be from 0 to 3600 seconds.")
    }

    static func validate(program: [String], json: Bool) throws {
        try rejectIf(json && !program.isEmpty, "The program uses standard output: omit --json.")
    }
}

extension UnitSystem: ExpressibleByArgument {
    static let help: ArgumentHelp =
        "The units of speeds, altitudes and distances: metric (km/h, m, km), imperial (mph, ft, mi) or nautical (kn, ft, NM). JSON output is always in SI units."
}

struct ReferenceOptions: ParsableArguments {
    @Option(
        help: .init(
            "The reference frame of device motion: arbitrary, corrected (arbitrary, with the heading corrected by the magnetometer), magnetic (relative to magnetic north) or true (relative to true north). Core Motion's names are also accepted.",
            valueName: "frame"))
    var frame = FrameName.arbitrary

    @Option(
        help: .init(
            "The device orientation to use when computing headings: portrait (the heading of the top edge), portraitUpsideDown, landscapeLeft or landscapeRight.",
            valueName: "orientation"))
    var orientation = EdgeName.portrait
}

/// A reference frame specified on the command line by its short name or Core Motion name, regardless of case. Files of
/// expected callbacks contain the raw value.
enum FrameName: String, ExpressibleByArgument, CaseIterable {
    case arbitrary, corrected, magnetic, `true`

    init?(argument: String) {
        let word = argument.lowercased()
        guard let frame = Self.allCases.first(where: { $0.rawValue == word || $0.appleName.lowercased() == word })
        else { return nil }
        self = frame
    }

    static var allValueStrings: [String] { allCases.map(\.rawValue) + allCases.map(\.appleName) }

    var appleName: String { apple.name }
    var frame: CMAttitudeReferenceFrame { apple.frame }

    private var apple: (name: String, frame: CMAttitudeReferenceFrame) {
        switch self {
        case .arbitrary: ("xArbitraryZVertical", .xArbitraryZVertical)
        case .corrected: ("xArbitraryCorrectedZVertical", .xArbitraryCorrectedZVertical)
        case .magnetic: ("xMagneticNorthZVertical", .xMagneticNorthZVertical)
        case .true: ("xTrueNorthZVertical", .xTrueNorthZVertical)
        }
    }

    var needsMagnetometer: Bool { self != .arbitrary }
    var hasHeading: Bool { self == .magnetic || self == .true }
}

/// A device orientation specified on the command line. Files of expected callbacks contain the raw value.
enum EdgeName: String, ExpressibleByArgument, CaseIterable {
    case portrait, portraitUpsideDown, landscapeLeft, landscapeRight

    init?(argument: String) {
        guard let edge = Self.allCases.first(where: { $0.rawValue.lowercased() == argument.lowercased() }) else {
            return nil
        }
        self = edge
    }

    var orientation: CLDeviceOrientation {
        switch self {
        case .portrait: .portrait
        case .portraitUpsideDown: .portraitUpsideDown
        case .landscapeLeft: .landscapeLeft
        case .landscapeRight: .landscapeRight
        }
    }
}
