// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import Foundation
import SystemCalls

/// The local programs that are connected to a TCP port. If the current user may not inspect a program, only that
/// program's user is known.
package struct ServiceClients: Sendable {
    package struct Client: Sendable, Hashable {
        /// The process ID, or nil if only the program's user is known.
        package var pid: Int32?
        package var name: String
    }

    package let clients: [Client]

    /// Reads /proc, which may take tens of milliseconds. Ignores the process whose ID is `own`.
    package init(port: UInt16, proc: String = "/proc", own: Int32 = getpid()) {
        let sockets = ["tcp", "tcp6"].reduce(into: [UInt64: UInt32]()) { found, name in
            guard let bytes = try? FileIO.read("\(proc)/net/\(name)", limit: Self.tableLimit) else { return }
            found.merge(Self.sockets(String(decoding: bytes, as: UTF8.self), port: port)) { $1 }
        }
        guard !sockets.isEmpty else {
            clients = []
            return
        }
        var rest = sockets
        var found: Set<Client> = []
        for name in DirectoryEntries.names(proc, limit: 100_000) ?? [] {
            guard let pid = Int32(name) else { continue }
            let numbers = Self.sockets(of: "\(proc)/\(name)").filter { sockets[$0] != nil }
            guard !numbers.isEmpty else { continue }
            for number in numbers { rest[number] = nil }
            if pid != own {
                found.insert(Client(pid: pid, name: DeviceNodeState.Holder.name(of: "\(proc)/\(name)") ?? "a program"))
            }
        }
        // Only root can read the file descriptors of other users' programs. For such programs, the kernel's socket
        // table reveals only the user.
        for user in Set(rest.values) {
            let name = getpwuid(user).map { String(cString: $0.pointee.pw_name) } ?? "\(user)"
            found.insert(Client(pid: nil, name: "a program of \(name)"))
        }
        clients = found.sorted { ($0.name, $0.pid ?? 0) < ($1.name, $1.pid ?? 0) }
    }

    private static let tableLimit = 8 << 20
    private static let established = "01"

    /// Returns the inodes and user IDs of the sockets whose remote port is `port`, from the kernel's table. The columns
    /// are: number, local address, remote address, state, queues, timer, retransmits, user, timeout, inode.
    static func sockets(_ table: String, port: UInt16) -> [UInt64: UInt32] {
        var sockets: [UInt64: UInt32] = [:]
        for line in table.split(separator: "\n").dropFirst() {
            let words = line.split(separator: " ")
            guard words.count > 9, words[3] == established, let user = UInt32(words[7]), let number = UInt64(words[9]),
                words[2].split(separator: ":").last.flatMap({ UInt16($0, radix: 16) }) == port
            else { continue }
            sockets[number] = user
        }
        return sockets
    }

    private static func sockets(of process: String) -> Set<UInt64> {
        var numbers: Set<UInt64> = []
        for file in DirectoryEntries.names("\(process)/fd", limit: 10_000) ?? [] {
            guard let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(process)/fd/\(file)"),
                link.hasPrefix("socket:["), let number = UInt64(link.dropFirst(8).dropLast())
            else { continue }
            numbers.insert(number)
        }
        return numbers
    }
}

package enum AccessoryNodeHolders {
    /// Returns the names of the programs that have an accessory's nodes open, keyed by accessory ID. Excludes this
    /// program.
    @concurrent package static func find(_ accessories: [AccessoryDescription]) async -> [Int: [String]] {
        let nodes = accessories.map { ($0.id, $0.protocols.compactMap(\.node?.path)) }.filter { !$0.1.isEmpty }
        guard !nodes.isEmpty else { return [:] }
        let holders = DeviceNodeState.Holder.all()
        var users: [Int: [String]] = [:]
        for (id, paths) in nodes {
            let programs = Set(paths).flatMap { DeviceNodeState($0, user: "", holders: holders).holders }
            let names = Set(programs.map { "\($0.name) (\($0.pid))" })
            if !names.isEmpty { users[Int(id)] = names.sorted() }
        }
        return users
    }
}
