// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Dashboard
import DeviceCore
import Foundation
import JSONBytes
import LoopbackServer
import SensorTools
import SystemCalls
import Trace
import TraceEditing

struct DashboardCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dashboard",
        abstract: "Shows position, motion and accessories on a page in the browser.",
        discussion: """
            Serves a page on 127.0.0.1 and prints its address: of a recording, which the page plays, steps through and lets \
            go wrong, or of this machine as it is now. The readings are those of `replay` and `watch`, through the same \
            managers. Nothing comes from the network; the map and the charts need the packages libjs-leaflet and \
            libjs-dygraphs, and the page shows figures without them.

            Every program of this machine can read the page. What changes something needs the token in the address, so \
            keep that to yourself; --read-only takes no commands at all. With --json the line is an object with \
            "event" listening, "uri", "port" and "token". Ctrl-C ends it.

            Exits with 65 when the file is not a recording, with 66 when it cannot be read, and with 69 when the port is \
            taken. See sensorctl --help for the other exit codes.

            Examples:
              sensorctl dashboard drive.jsonl
              sensorctl dashboard --live --region "home=48.137,11.575,200"
            """)

    @Argument(
        help: "The recordings, which are played together; - for standard input. Without one the page is live.",
        completion: .file())
    var files: [String] = []

    @Flag(help: "Show this machine as it is now.")
    var live = false

    @Option(help: "The TCP port; 0 for any that is free.")
    var port: UInt16 = 8421

    @Flag(help: "Open the page in a browser, by xdg-open.")
    var open = false

    @Flag(help: "Take no commands from the page.")
    var readOnly = false

    @Option(
        help: ArgumentHelp(
            "Where the map's pictures come from, as in https://tile.example.org/{z}/{x}/{y}.png; none unless given.",
            valueName: "url"))
    var tiles: String?

    @Option(help: ArgumentHelp("Whom the map's pictures are owed to, as their licence wants it.", valueName: "text"))
    var tilesAttribution: String?

    @Option(
        help: ArgumentHelp(
            "The folder that holds the folders leaflet and dygraphs.", valueName: "folder"),
        completion: .directory)
    var assets = "/usr/share/javascript"

    @Option(
        help: "How several recordings lie to each other: clock (by the civil time of their starts) or start.",
        transform: DashboardCommand.alignment)
    var align: TraceMerger.Alignment = .clock

    @Option(help: "How many times faster than recorded, from 0.1 to 100.")
    var speed = 1.0

    @Flag(help: "Begin the recording again at its end.")
    var loop = false

    @Option(
        help: ArgumentHelp(
            "A region that is watched: name, latitude, longitude and metres. Repeat it for more.",
            valueName: "name=lat,lon,metres"))
    var region: [NamedRegion] = []

    @Option(
        help: ArgumentHelp(
            "What the attitude is measured against, as watch takes it: magnetic where there is a magnetometer and arbitrary elsewhere, unless given.",
            valueName: "frame"))
    var frame: FrameName?

    @Option(
        help: ArgumentHelp("The edge whose heading is told, as watch takes it.", valueName: "orientation"))
    var orientation = EdgeName.portrait

    @Option(
        help: ArgumentHelp("Take the page's files from that folder first.", valueName: "folder", visibility: .hidden),
        completion: .directory)
    var page: String?

    @OptionGroup(title: "Recordings of other programs") var imports: ImportOptions

    @OptionGroup var output: OutputOptions

    func validate() throws {
        try Self.refuse(live && !files.isEmpty, "--live shows this machine; leave the recording out.")
        try Self.refuse(files.isEmpty && loop, "--loop is for recordings.")
        try Self.refuse(files.isEmpty && speed != 1, "--speed is for recordings.")
        try Self.refuse(!(0.1...100).contains(speed), "--speed takes a number from 0.1 to 100.")
        let most = TraceMerger.maximumCount
        try Self.refuse(files.count > most, "At most \(most) recordings can be played together.")
        try Self.refuse(tiles == nil && tilesAttribution != nil, "--tiles-attribution goes with --tiles.")
        try Self.refuse(
            tiles != nil && chosenTiles == nil,
            "--tiles takes an address of http or https with {z}, {x} and {y} in its path.")
        try Self.refuse(Set(region.map(\.name)).count < region.count, "Two regions have one name; each needs its own.")
        try Self.refuse(
            region.count > DashboardRegions.limit,
            "\(region.count) regions are too many: \(DashboardRegions.limit) are monitored.")
        if let page { try Self.refuse(!FileBytes.isFolder(page), "There is no folder \(page).") }
    }

    func run() async throws {
        // Whoever waits for a pipe is ended by any signal.
        let trace = files.isEmpty ? nil : try merged(try imports.read(files))
        try await Termination.during { stop in await show(trace, stop: stop) }
    }

    private func merged(_ traces: [TraceFile]) throws -> TraceFile {
        guard traces.count > 1 else { return traces[0] }
        return try ExitStatus.ending(ExitStatus.init(reading:)) { () throws(DeviceError) in
            let builder = TraceBuilder(name: traces.map(\.name).joined(separator: ", "))
            for remark in try TraceMerger.write(traces, alignment: align, to: builder) {
                Notes.warn(Printable.text(remark))
            }
            return try builder.file()
        }
    }

    private var chosenTiles: DashboardOptions.Tiles? {
        tiles.flatMap { DashboardOptions.Tiles(url: $0, attribution: tilesAttribution ?? "") }
    }

    @MainActor private func show(_ trace: TraceFile?, stop: Stop) async -> ExitStatus {
        let page = OpenedPage()
        defer { page.close() }
        let session = DashboardSession(plan(stop, page), stop: stop)
        do throws(DeviceError) {
            if let trace { try await session.run(trace) } else { try await session.runLive() }
        } catch {
            Notes.fail(error.description)
            return ExitStatus(starting: error)
        }
        return stop.status()
    }

    @MainActor private func plan(_ stop: Stop, _ page: OpenedPage) -> DashboardPlan {
        var options = DashboardOptions(assets: AssetFolder(root: assets))
        options.port = port
        options.isReadOnly = readOnly
        options.tiles = chosenTiles
        options.pageFolder = self.page
        for library in AssetFolder.Library.all where !options.assets.has(library) {
            Notes.say(
                "\(assets) has no \(library.name); the page shows figures in its place. sudo apt-get install \(library.package)"
            )
        }
        var plan = DashboardPlan(options: options)
        (plan.regions, plan.frame, plan.edge) = (region, frame, orientation)
        (plan.speed, plan.loops) = (speed, loop)
        plan.announce = { address, port, token in
            let standardOutput = StandardOutput(stop: stop)
            if output.json {
                standardOutput.writeObject { writer in
                    writer.members(["event": "listening", "uri": address, "port": Int(port)])
                    writer.memberIfPresent("token", readOnly ? nil : token)
                }
            } else {
                standardOutput.write(line: address)
            }
            if open { page.open(address) }
        }
        return plan
    }
}

/// Opens the page in the user's browser.
@MainActor
private final class OpenedPage {
    private nonisolated static let fileName = "dashboard.html"
    private var folder: ScratchFolder?

    /// By way of a file that only this user reads: every user sees with which words a program was started.
    func open(_ address: String) {
        do throws(DeviceError) {
            let kind = ScratchFolder.Kind(prefix: "sensorctl-dashboard-", owner: "the page that leads to the dashboard")
            {
                $0 == Self.fileName
            }
            let folder = try ScratchFolder(kind, below: nil)
            let text =
                "<!doctype html><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"0;url=\(address)\">\n"
            let path = "\(folder.path)/\(Self.fileName)"
            try FileBytes.write(Array(text.utf8), to: path, overwrite: false)
            self.folder = folder
            let browser = Process()
            browser.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            browser.arguments = ["xdg-open", path]
            (browser.standardInput, browser.standardOutput) = (FileHandle.nullDevice, FileHandle.nullDevice)
            browser.standardError = FileHandle.nullDevice
            browser.terminationHandler = { browser in
                if browser.terminationStatus != 0 {
                    Notes.warn("xdg-open has opened no browser; open the address by hand.")
                }
            }
            try browser.started()
        } catch {
            Notes.warn("The page cannot be opened: \(error.message) Open the address by hand.")
        }
    }

    func close() { folder?.remove() }
}

extension Process {
    fileprivate func started() throws(DeviceError) {
        do { try run() } catch { throw DeviceError(.notFound, "xdg-open cannot be started.") }
    }
}
