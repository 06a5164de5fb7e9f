// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import LoopbackServer
import SystemCalls
import TestSupport
import Testing
import Trace

@testable import GPSDSimulator

@Suite("A receiver on a pseudo-terminal", .timeLimit(.minutes(30)))
struct ReceiverTerminalTests {
    @Test("All sentences arrive complete and in order, as fast as the program reads, until stop()")
    func asFast() throws {
        let terminal = try Self.terminal(Self.drive(200))
        #expect(terminal.path == nil)
        for _ in 0..<2 {
            let path = try terminal.start()
            #expect(try terminal.start() == path)
            let program = try #require(PlainPort(terminal: path, flushes: false))
            var lines = Self.lines(program) { Self.timeOfDay($0) == Self.time(199) }
            #expect(terminal.waitUntilPlayed(seconds: 60))
            lines += Self.lines(program, count: Int(terminal.sentenceCount) - lines.count)
            #expect(Self.times(lines) == (0..<200).map(Self.time))
            #expect(lines.allSatisfy(Self.isWhole))
            #expect(lines.count == terminal.sentenceCount)
            #expect(terminal.lostCount == 0)
            #expect(!program.isHungUp)
            terminal.stop()
            #expect(program.hangsUp())
            #expect(terminal.path == nil)
        }
    }

    @Test("An endless loop continues with increasing times until it is stopped")
    func loops() throws {
        let terminal = try Self.terminal(Self.drive(3)) { $0.end = .loop }
        let program = try #require(PlainPort(terminal: try terminal.start(), flushes: false))
        let lines = Self.lines(program) { Self.timeOfDay($0) == Self.time(9) }
        #expect(Self.times(lines) == (0..<10).map(Self.time))
        #expect(!terminal.hasPlayed)
        terminal.stop()
        #expect(program.hangsUp())
    }

    @Test(
        "A loop without sentences ends after one iteration and can still be stopped",
        arguments: [GPSDServerOptions.Pace.onDemand, .realTime(speed: 1)])
    func noSentences(pace: GPSDServerOptions.Pace) throws {
        let skies = (0..<2).map { #"{"t":\#($0),"gpsd":{"class":"SKY","device":"/dev/ttyS1","satellites":[]}}"# }
        let terminal = try Self.terminal(skies) { options in
            options.pace = pace
            options.end = .loop
            options.start = .immediately
        }
        let program = try #require(PlainPort(terminal: try terminal.start(), flushes: false))
        #expect(terminal.waitUntilPlayed(seconds: 60))
        #expect(terminal.sentenceCount == 0)
        terminal.stop()
        #expect(program.hangsUp())
    }

    @Test(
        "Only the named or the first receiver is played, and sentences of unknown origin are skipped",
        arguments: [(nil, "4801.0000"), ("/dev/a", "4801.0000"), ("/dev/b", "4802.0000"), ("/dev/c", "4803.0000")]
            as [(String?, String)])
    func receivers(name: String?, latitude: String) throws {
        // The third receiver appears after the others have reported.
        let late =
            #"{"t":4,"gpsd":{"class":"DEVICE","path":"/dev/c","driver":"NMEA0183","activated":"2024-03-23T12:00:04Z"}}"#
        let lines = (0..<5).flatMap { second in
            [
                #"{"t":\#(second),"gpsdText":"$GPTXT,01,01,02,of nobody knows whom*1E"}"#,
                Self.fix(second, "/dev/a", latitude: 48 + 1.0 / 60),
                Self.fix(second, "/dev/b", latitude: 48 + 2.0 / 60),
            ]
        }
        let terminal = try Self.terminal(
            lines + [late, Self.fix(5, "/dev/c", latitude: 48 + 3.0 / 60)], receiver: name)
        let program = try #require(PlainPort(terminal: try terminal.start(), flushes: false))
        #expect(terminal.waitUntilPlayed(seconds: 60))
        let output = Self.lines(program, count: Int(terminal.sentenceCount))
        let places = output.filter { $0.contains("RMC") }.map { $0.split(separator: ",")[3].prefix(9) }
        #expect(places.count == (name == "/dev/c" ? 1 : 5))
        #expect(Set(places) == [Substring(latitude)])
        #expect(!output.contains { $0.contains("TXT") })
        terminal.stop()
    }

    @Test("The sentences of a trace with one receiver are played unchanged")
    func own() throws {
        let text = "$GPTXT,01,01,02,as it stands*5D"
        let lines = [Self.fix(0, "/dev/a"), #"{"t":0,"gpsdText":"\#(text)"}"#, Self.fix(1, "/dev/a")]
        for name in [nil, "/dev/a"] {
            let terminal = try Self.terminal(lines, receiver: name)
            let program = try #require(PlainPort(terminal: try terminal.start(), flushes: false))
            #expect(program.readLine() == text + "\r\n")
            #expect(terminal.waitUntilPlayed(seconds: 60))
            #expect(terminal.sentenceCount == 1)
            terminal.stop()
        }
    }

    @Test("A receiver missing from the trace is rejected, and the error lists the available ones")
    func unknownReceiver() throws {
        let both = try Self.terminal([Self.fix(0, "/dev/a"), Self.fix(0, "/dev/b")], receiver: "/dev/x")
        let error = #expect(throws: DeviceError.self) { try both.start() }
        #expect(error?.code == .notFound)
        #expect(error?.message == "There is no receiver /dev/x in drive. It has /dev/a, /dev/b. Specify one of these.")
        #expect(both.path == nil)
        let one = #expect(throws: DeviceError.self) {
            try Self.terminal([Self.fix(0, "/dev/a")], receiver: "/dev/x").start()
        }
        #expect(one?.message.hasSuffix("It has only /dev/a. Specify that one, or none.") == true)
        let none = #expect(throws: DeviceError.self) { try Self.terminal([], receiver: "/dev/x").start() }
        #expect(none?.message.hasSuffix("It names no receivers. Omit the receiver.") == true)
    }

    @Test("If a program closes the terminal, the next one receives the rest in complete sentences")
    func hangUp() throws {
        // More than a terminal buffers.
        let terminal = try Self.terminal(Self.drive(2000))
        let path = try terminal.start()
        let first = try #require(PlainPort(terminal: path))
        #expect(Self.lines(first, count: 5).allSatisfy(Self.isWhole))
        first.close()
        #expect(!terminal.hasPlayed)
        let second = try #require(PlainPort(terminal: path))
        let lines = Self.lines(second) { Self.timeOfDay($0) == Self.time(1999) }
        #expect(Self.times(lines).last == Self.time(1999))
        // The second program may open the terminal in the middle of a sentence.
        #expect(lines.dropFirst().allSatisfy(Self.isWhole))
        #expect(Self.times(lines) == Self.times(lines).sorted())
        #expect(terminal.waitUntilPlayed(seconds: 60))
        terminal.stop()
    }

    @Test("In real time, unread sentences are dropped, and the program receives complete sentences only")
    func lost() throws {
        let terminal = try Self.terminal(Self.drive(2000)) { $0.pace = .realTime(speed: 1e6) }
        let program = try #require(PlainPort(terminal: try terminal.start(), flushes: false))
        #expect(terminal.waitUntilPlayed(seconds: 60))
        #expect(terminal.lostCount > 0)
        #expect(terminal.sentenceCount > 0)
        // Without a program the terminal drops every sentence, so its count is the total.
        let whole = try Self.terminal(Self.drive(2000)) { options in
            options.pace = .realTime(speed: 1e6)
            options.start = .immediately
        }
        try whole.start()
        #expect(whole.waitUntilPlayed(seconds: 60))
        #expect(whole.sentenceCount == 0)
        #expect(terminal.sentenceCount + terminal.lostCount == whole.lostCount)
        let lines = Self.lines(program, count: Int(terminal.sentenceCount))
        #expect(lines.count == terminal.sentenceCount)
        #expect(lines.allSatisfy(Self.isWhole))
        terminal.stop()
        whole.stop()
    }

    @Test("The terminal closes at the end of the trace", arguments: [GPSDServerOptions.End.unplug, .close])
    func ends(end: GPSDServerOptions.End) throws {
        let terminal = try Self.terminal(Self.drive(3)) { $0.end = end }
        let program = try #require(PlainPort(terminal: try terminal.start(), flushes: false))
        // The kernel discards unread data when the terminal closes.
        let text = program.readAll()
        #expect(program.hangsUp())
        #expect(text.isEmpty || text.first == UInt8(ascii: "$"))
        #expect(terminal.waitUntilPlayed(seconds: 60))
        terminal.stop()
    }

    @Test("An unopened terminal is not polled, and opening it notifies its player")
    func opening() throws {
        let (master, path) = try PseudoTerminal.open(for: "a test")
        let openings = OpenWatcher()
        let file = try Self.file(Self.drive(1))
        let options = GPSDServerOptions()
        let loop = TerminalLoop(
            master: master, path: path, try SentencePlayer(file, receiver: nil, options: options),
            shared: try SharedState(for: "a test"), options: options, openings: openings)
        var received = pollfd(fd: openings.descriptor, events: Int16(POLLIN), revents: 0)
        for _ in 0..<2 {
            let idle = loop.pollTarget(until: .never)
            #expect(idle.descriptor == openings.descriptor)
            #expect(idle.deadline == .never)
            #expect(poll(&received, 1, 0) == 0)
            let program = try #require(PlainPort(terminal: path))
            #expect(poll(&received, 1, 0) == 1)
            openings.drain()
            let busy = loop.pollTarget(until: .never)
            #expect(busy.descriptor == master)
            #expect(busy.deadline == .never)
            program.close()
        }
    }

    @Test("A program that opens the terminal between the check and the wait is detected")
    func openedInBetween() throws {
        let (master, path) = try PseudoTerminal.open(for: "a test")
        let openings = OpenWatcher()
        let options = GPSDServerOptions()
        let loop = TerminalLoop(
            master: master, path: path,
            try SentencePlayer(try Self.file(Self.drive(1)), receiver: nil, options: options),
            shared: try SharedState(for: "a test"), options: options, openings: openings)
        openings.drain()
        #expect(PseudoTerminal.isHungUp(master))
        let program = try #require(PlainPort(terminal: path))
        // The terminal itself stays silent, because a program that waits for sentences writes nothing.
        let wait = loop.pollTargetWhileClosed(until: .never)
        #expect(wait.descriptor == openings.descriptor)
        var received = pollfd(fd: openings.descriptor, events: Int16(POLLIN), revents: 0)
        #expect(poll(&received, 1, 0) == 1)
        program.close()
    }

    // MARK: -

    private static func file(_ lines: [String]) throws -> TraceFile {
        try TraceFile(bytes: Array(([GPSDFixture.drive(0)[0]] + lines).map { $0 + "\n" }.joined().utf8), name: "drive")
    }

    private static func terminal(
        _ lines: [String], receiver: String? = nil, _ configure: (inout GPSDServerOptions) -> Void = { _ in }
    ) throws -> ReceiverTerminal {
        var options = GPSDServerOptions()
        options.pace = .onDemand
        configure(&options)
        return ReceiverTerminal(try file(lines), receiver: receiver, options: options)
    }

    private static func drive(_ count: Int) -> [String] { (0..<count).map { fix($0, "/dev/ttyS1") } }

    private static func fix(_ second: Int, _ device: String, latitude: Double = 48.5) -> String {
        let time = String(format: "2024-03-23T12:%02d:%02d.000Z", second / 60, second % 60)
        return
            #"{"t":\#(second),"gpsd":{"class":"TPV","device":"\#(device)","mode":3,"time":"\#(time)","lat":\#(latitude),"lon":11.5,"altMSL":500.5,"speed":21.3,"track":302.1}}"#
    }

    /// The time of day of a second, in the format of NMEA sentences.
    private static func time(_ second: Int) -> String { String(format: "12%02d%02d", second / 60, second % 60) }

    /// The time of day in an RMC sentence, nil for other sentences.
    private static func timeOfDay(_ line: String) -> String? {
        line.dropFirst(3).hasPrefix("RMC,") ? String(line.dropFirst(7).prefix(6)) : nil
    }

    private static func times(_ lines: [String]) -> [String] { lines.compactMap(timeOfDay) }

    /// Reads up to and including the first line that satisfies the condition, or until no more lines arrive.
    private static func lines(_ program: PlainPort, until isLast: (String) -> Bool) -> [String] {
        var lines: [String] = []
        while let line = program.readLine() {
            lines.append(line)
            if isLast(line) { break }
        }
        return lines
    }

    /// Reads up to `count` lines, fewer if no more lines arrive.
    private static func lines(_ program: PlainPort, count: Int) -> [String] {
        var lines: [String] = []
        while lines.count < count, let line = program.readLine() { lines.append(line) }
        return lines
    }

    /// True if the sentence is complete and its checksum matches the exclusive or of the bytes between $ and *.
    private static func isWhole(_ line: String) -> Bool {
        guard line.hasPrefix("$"), line.hasSuffix("\r\n"), let star = line.lastIndex(of: "*") else { return false }
        let sum = line[line.index(after: line.startIndex)..<star].utf8.reduce(0, ^)
        return line[star...].dropFirst().prefix { $0.isHexDigit } == String(format: "%02X", sum)
    }
}
