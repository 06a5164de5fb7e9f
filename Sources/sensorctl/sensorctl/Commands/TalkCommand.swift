// SPDX-License-Identifier: Apache-2.0

import AccessorySimulator
import ArgumentParser
import DeviceCore
import ExternalAccessory
import Foundation
import LiveDevice
import Trace
import UmockdevFormat

struct TalkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "talk",
        abstract: "Talks to an accessory: sends what is typed or piped in, prints what it says.",
        usage: "sensorctl talk <accessory> [<protocol-name>] [<options>]",
        discussion: """
            In a terminal each line goes out when it is ended, Ctrl-D ends the conversation; with --raw each key goes out \
            as it is typed, and Ctrl-] ends it. Without a terminal the bytes of standard input go to the accessory as \
            they are, and its bytes to standard output. At the end of the input it waits until everything has left and \
            no answer has come for a second, or for --wait seconds. With --hex both directions are rows of bytes. With \
            --json each line is an object with "time" and "event": opened, in, out (both with "bytes" and "text", or "hex" \
            for what is no text) or ended, with "reason" detached, hungUp or failed.

            With --script a recorded dialogue (umockdev's, as in NAME.script) is held again instead: what the program \
            wrote then is said, each answer is compared, and the first byte that differs, or an answer that does not come \
            in the recorded time and --wait seconds (5 if not given), ends it with 1. What comes after the last step is \
            not compared.

            Exits with 1 for an answer that is not as recorded, with 64 when several accessories or protocols may be meant, with 65 and 66 when the script cannot be read, with 69 when there is no such accessory, \
            when it is in use, or when it goes away before all was said, with 73 when the trace cannot be created, with 74 when it takes nothing any more, and with \
            77 when this user may not open it. See sensorctl --help for the other exit codes.

            Examples:
              sensorctl talk "Weigh Scale"
              sensorctl talk "Weigh Scale" --script FILE.script
            """)

    @Argument(
        help: "The accessory: its name, serial number, identity, port, node or id, as `sensorctl list` shows them.")
    var accessory: String

    @Argument(help: "The protocol, or what its name ends with; not needed where there is only one.")
    var protocolName: String?

    @Flag(help: "Send each key as it is typed; Ctrl-] ends.")
    var raw = false

    @Option(help: "What the end of a line in a terminal is sent as: lf, cr or crlf.")
    var lineEnd = TalkPlan.LineEnd.lf

    @Flag(help: "Show both directions as rows of bytes.")
    var hex = false

    @Option(help: "Hold the dialogue of this .script again, and compare the answers.", completion: .file())
    var script: String?

    @Option(help: "Seconds to wait for answers at the end of the input, or for each answer of a script.")
    var wait: Double?

    @Flag(help: "When the accessory goes away, wait for it to come back; also when it is not there yet.")
    var follow = false

    @Option(
        help: "Record the accessory and what is said into this trace; replay it with `sensorctl simulate accessory`.",
        completion: .file())
    var record: String?

    @OptionGroup(title: "The recording") var new: NewFileOptions

    @OptionGroup var output: OutputOptions

    func validate() throws {
        if let wait, !(wait >= 0 && wait <= 1e8) { throw ValidationError("--wait takes seconds, 0 or more.") }
        try Self.refuse(
            script != nil && (raw || follow),
            "With --script nothing is typed and nothing waited for: leave --raw and --follow out.")
        try Self.refuse(hex && output.json, "--hex and --json are two ways to show the same: leave one out.")
    }

    func run() async throws { try await Termination.during { try await talk($0) } }

    private func talk(_ stop: Stop) async throws -> ExitStatus {
        let script = try dialogue()
        let (device, recorder) = try recordingDevice(stop)
        let input = Descriptor.standardInput
        let isTyped = input.isTerminal && script == nil
        if raw, !isTyped { Notes.warn("Standard input is no terminal: --raw changes nothing.") }
        let terminal = raw && isTyped ? TalkTerminal(input) : nil
        var plan = TalkPlan(accessory: accessory, protocolName: protocolName)
        plan.wait = wait
        plan.follows = follow
        plan.isRaw = terminal != nil
        if isTyped { plan.lineEnd = lineEnd }
        let endingKey = isTyped ? (plan.isRaw ? "Ctrl-]" : "Ctrl-D") : nil
        let loop = try ExitStatus.ending({ _ in .unavailable }) { () throws(DeviceError) in
            try TalkLoop(device.accessorySource, plan: plan, clock: device.clock, stop: stop)
        }
        let end = await talk(loop, script: script, input: input, endingKey: endingKey)
        withExtendedLifetime(terminal) {}
        do throws(DeviceError) {
            try recorder?.stop()
        } catch {
            stop.request(.failed(error, .inputOutput))
        }
        let status = end.status()
        return stop.status(or: status)
    }

    /// The dialogue that is to be held, if one is named.
    private func dialogue() throws -> UmockdevScript? {
        try script.map { path in
            try ExitStatus.ending(ExitStatus.init(reading:)) { () throws(DeviceError) in
                try UmockdevScript(path: path)
            }
        }
    }

    private func recordingDevice(_ stop: Stop) throws -> (Device, TraceRecorder?) {
        guard let record else { return (LiveDevice.withAccessories, nil) }
        let device = LiveDevice.withAccessories.recordingAccessories()
        return try ExitStatus.ending({ _ in .cannotCreate }) { () throws(DeviceError) in
            let recorder = TraceRecorder(
                device: device, writer: try TraceWriter(path: record, overwrite: new.overwrite, mode: new.mode?.bits),
                recorder: Version.text, parts: .accessories,
                onFailure: { stop.request(.failed($0, .inputOutput)) })
            try recorder.start()
            return (device, recorder)
        }
    }

    /// Talks on a thread of its own, for the other end may let it wait.
    private func talk(
        _ loop: TalkLoop, script: UmockdevScript?, input: Descriptor, endingKey: String?
    ) async -> TalkEnd {
        let (asJSON, asHex) = (output.json, hex)
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let output = StandardOutput(stop: loop.stop)
                let isForPeople = Descriptor.standardOutput.isTerminal && !loop.plan.isRaw
                let plain = PlainTalk(output: output, isForPeople: isForPeople, endingKey: endingKey)
                let printer = asJSON || asHex ? LinePrinter(output: output, asJSON: asJSON) : nil
                func show(_ event: TalkEvent) {
                    guard let printer else { return plain.show(event) }
                    printer.print(TalkReading(event: event, time: loop.clock.wallTime))
                }
                continuation.resume(
                    returning: script.map { loop.play($0, show: show) } ?? loop.run(input: input, show: show))
            }
        }
    }
}

extension TalkPlan.LineEnd: ExpressibleByArgument {}
