// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import TraceEditing

/// What every verb has.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print one JSON object a line.")
    var json = false
}

/// How files are made.
struct NewFileOptions: ParsableArguments {
    @Flag(help: "Replace what is there.")
    var overwrite = false

    @Option(
        help: ArgumentHelp(
            "The permissions of what is made, such as 0640; 0600 unless given, since recordings tell where somebody was.",
            valueName: "mode"))
    var mode: FileMode?
}

/// Permissions as chmod takes them, in octal digits; the owner may read and write.
struct FileMode: ExpressibleByArgument, Equatable {
    let bits: UInt32

    init?(argument: String) {
        guard (3...4).contains(argument.utf8.count), let bits = UInt32(argument, radix: 8), bits <= 0o777,
            bits & 0o600 == 0o600
        else { return nil }
        self.bits = bits
    }
}

/// What goes with something simulated: for how long, a program that is run with it, and how its address is told.
struct ProgramOptions: ParsableArguments {
    @Option(help: "End after that many seconds.")
    var duration: Double?

    @OptionGroup var output: OutputOptions

    @Argument(parsing: .postTerminator, help: "A program to run with what is simulated, and its arguments.")
    var program: [String] = []

    func validate() throws {
        try Self.validate(duration: duration)
        try Self.validate(program: program, json: output.json)
    }
}

/// What several verbs ask of their arguments.
extension ParsableArguments {
    /// Says what is wrong with the arguments, if that is so.
    static func refuse(_ isWrong: Bool, _ message: @autoclosure () -> String) throws {
        if isWrong { throw ValidationError(message()) }
    }

    /// A duration has to be a number of seconds that a timer takes.
    static func validate(duration: Double?) throws {
        guard let duration else { return }
        try refuse(!(duration > 0 && duration <= 1e8), "--duration takes seconds, more than 0.")
    }

    /// An interval has to be a number of seconds that a sensor can keep.
    static func validate(interval: Double) throws {
        try refuse(!(0...3600).contains(interval), "--interval takes seconds, from 0 to 3600.")
    }

    /// How several recordings lie to each other.
    static func alignment(_ text: String) throws -> TraceMerger.Alignment {
        guard let alignment = TraceMerger.Alignment(rawValue: text) else {
            throw ValidationError("Recordings are aligned by clock or start, not by \(text).")
        }
        return alignment
    }

    /// A program that is run has standard output for itself.
    static func validate(program: [String], json: Bool) throws {
        try refuse(json && !program.isEmpty, "Standard output belongs to the program: leave --json out.")
    }
}

/// What attitudes and headings are measured against.
struct ReferenceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "What device motion is measured against: arbitrary, corrected (by the magnetometer), magnetic or true (north); or Core Motion's name.",
            valueName: "frame"))
    var frame = FrameName.arbitrary

    @Option(
        help: ArgumentHelp(
            "The edge whose heading is told: portrait (the top one), portraitUpsideDown, landscapeLeft or landscapeRight.",
            valueName: "orientation"))
    var orientation = EdgeName.portrait
}
