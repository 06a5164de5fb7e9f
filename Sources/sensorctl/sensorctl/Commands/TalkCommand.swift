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
        abstract: "Send standard input to an accessory, and print the data that the accessory sends.",
        usage: "sensorctl talk <accessory> [<protocol-name>] [<options>]",
        discussion: """
            In a terminal, Enter sends a line and Ctrl-D ends the session. Other input is sent unchanged. The session \
            then ends when no data has arrived for one second.

            Examples:
              sensorctl talk "Weigh Scale"
              sensorctl talk "Weigh Scale" --script FILE.script
            """)

    @Argument(
        help: "The name, serial number, identity, port, node or ID of the accessory, as shown by `sensorctl list`.")
    var accessory: String

    @Argument(
        help:
            "The protocol's name, or the last part of it. You can omit this argument if the accessory supports only one protocol."
    )
    var protocolName: String?

    @Flag(help: "Send each key as you type it. Press Ctrl-] to end the session.") var raw = false

    @Option(help: "The line ending to send after each line that you type in a terminal: lf, cr or crlf.")
    var lineEnd = TalkOptions.LineEnd.lf
    @Flag(help: "Print sent and received data as a hex dump.") var hex = false

    @Option(
        help: "Replay the dialogue in this .script file, and compare the answers with the recorded ones.",
        completion: .file())
    var script: String?

    @Option(
        help:
            "How long to wait for answers after the end of the input, in seconds. With --script, this is the maximum additional delay of an answer, compared with the recording, and the default is 5.",
        transform: Seconds.parse)
    var wait: Double?

    @Flag(help: "Wait until the accessory is attached, and wait again each time it is disconnected.")
    var follow = false

    @Option(
        help:
            "Record the session with the accessory to this trace. To replay the trace, use `sensorctl simulate accessory`.",
        completion: .file())
    var record: String?

    @OptionGroup var new: NewFileOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if let wait, !(wait >= 0 && wait <= 1e8) {
            throw ValidationError("--wait must be from 0 to 100000000 seconds.")
        }
        try Self.rejectIf(script != nil && (raw || follow), "--script cannot be combined with --raw or --follow.")
        try Self.rejectIf(hex && output.json, "--hex and --json cannot be combined.")
    }

    func run() async throws { try await Termination.run { try await talk($0) } }

    private func talk(_ stop: StopRequest) async throws -> ExitStatus {
        let script = try dialogue()
        let (device, recorder) = try recordingDevice(stop)
        let input = Descriptor.standardInput
        let isTyped = input.isTerminal && script == nil
        if raw, !isTyped { Log.warning("Standard input is not a terminal: --raw has no effect.") }
        let terminal = raw && isTyped ? TalkTerminal(input) : nil
        var plan = TalkOptions(accessory: accessory, protocolName: protocolName)
        plan.wait = wait
        plan.follows = follow
        plan.isRaw = terminal != nil
        if isTyped { plan.lineEnd = lineEnd }
        let endingKey = isTyped ? (plan.isRaw ? "Ctrl-]" : "Ctrl-D") : nil
        let loop = try ExitStatus.exitOnError({ _ in .unavailable }) {
            try TalkLoop(device.accessorySource, plan: plan, clock: device.clock, stop: stop)
        }
        let end = await talk(loop, script: script, input: input, endingKey: endingKey)
        // Keeps the terminal in raw mode until the session ends.
        withExtendedLifetime(terminal) {}
        do throws(DeviceError) { try recorder?.stop() } catch { stop.request(.failed(error, .inputOutput)) }
        let status = end.status()
        return stop.status(or: status)
    }

    private func dialogue() throws -> UmockdevScript? {
        try script.map { path in try ExitStatus.exitOnError { try UmockdevScript(path: path) } }
    }

    private func recordingDevice(_ stop: StopRequest) throws -> (Device, TraceRecorder?) {
        guard let record else { return (LiveDevice.withAccessories, nil) }
        let device = LiveDevice.withAccessories.recordingAccessories()
        return try ExitStatus.exitOnError({ _ in .cannotCreate }) {
            let recorder = TraceRecorder(
                device: device, writer: try TraceWriter(path: record, overwrite: new.overwrite, mode: new.mode?.bits),
                recorder: Version.text, parts: .accessories, onFailure: { stop.request(.failed($0, .inputOutput)) })
            try recorder.start()
            return (device, recorder)
        }
    }

    /// Runs the session on a separate thread, because reads and writes may block.
    private func talk(
        _ loop: TalkLoop, script: UmockdevScript?, input: Descriptor, endingKey: String?
    ) async -> TalkEnd {
        let (asJSON, asHex) = (output.json, hex)
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let output = StandardOutput(stop: loop.stop)
                let escapesControls = Descriptor.standardOutput.isTerminal && !loop.plan.isRaw
                let plain = RawTalkPrinter(output: output, escapesControls: escapesControls, endingKey: endingKey)
                let printer = asJSON || asHex ? LinePrinter(output: output, asJSON: asJSON) : nil
                func show(_ event: TalkEvent) {
                    guard let printer else { return plain.show(event) }
                    printer.print(TalkReading(event: event, time: loop.clock.wallTime))
                }
                let end = script.map { loop.play($0, show: show) } ?? loop.run(input: input, show: show)
                plain.finish()
                continuation.resume(returning: end)
            }
        }
    }
}

extension TalkOptions.LineEnd: ExpressibleByArgument {}
