// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import UdevSource

/// Reports accessories and communicates with them, as requested by lines of input:
///
///     accessories [CONTROL]     CONTROL is a path that replaces udevd's control socket
///
///     open IDENTITY PROTOCOL    opens a channel in place of the previous one, and prints received data
///     write TEXT                writes a line
///     close
///     list                      prints candidates and problems
enum AccessoriesCommand {
    static func run(_ arguments: [String]) {
        let output = Output()
        let configuration = Configuration.load()
        let control = arguments.first ?? "/run/udev/control"
        let source = UdevSource(configuration: configuration, clock: LiveClock(), udevdControl: control)
        let subscription = source.subscribe { output.event($0) }
        var conversation: Conversation?
        while let line = readLine() {
            let words = line.split(separator: " ", maxSplits: 1).map(String.init)
            let rest = words.count > 1 ? words[1] : ""
            switch words.first {
            case "open":
                // The identity may contain spaces.
                let cut = rest.lastIndex(of: " ") ?? rest.endIndex
                let identity = String(rest[..<cut])
                let name = String(rest[cut...].dropFirst())
                let id = source.accessories.first { $0.identity == identity }?.id ?? 0
                do throws(DeviceError) {
                    conversation?.close()
                    conversation = Conversation(try source.open(id, protocol: name), output)
                    output.text("opened", "protocol", name)
                } catch {
                    output.text("refused", "code", error.code.description)
                }
            case "write": conversation?.write(rest + "\n")
            case "close": conversation?.close()
            case "list":
                output.candidates(source.candidates)
                output.problems(source.problems)
            default: break
            }
        }
        conversation?.close()
        subscription.cancel()
    }
}
