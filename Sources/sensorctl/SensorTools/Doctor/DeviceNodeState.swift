// SPDX-License-Identifier: Apache-2.0

import ByteChannels
import DeviceCore
import Foundation
import SystemCalls

/// A device node's permissions and the programs that have it open.
struct DeviceNodeState: Sendable, Hashable {
    struct Holder: Sendable, Hashable {
        var pid: Int32
        var name: String
    }

    var path: String
    var exists = true
    /// The permission bits in octal, such as "0660".
    var mode = "0660"
    var owner = "root"
    var group = "dialout"
    var isOpenToGroup = true
    var canOpen = true
    /// True if the group database lists the user as a member of the group. If the user joined the group after the
    /// current session began, the session does not have the group's permissions yet.
    var isListedInGroup = false
    /// The programs that have the node open or are connected to the socket. Only root can see other users' programs.
    var holders: [Holder] = []
    var isSocket = false
    /// The number of connections to the socket, including those of unknown programs.
    var connections = 0

    var programs: String { holders.map { "\($0.name) (pid \($0.pid))" }.joined(separator: " and ") }
}

extension DeviceNodeState {
    /// - Parameters:
    ///   - user: The user whose group membership is checked.
    ///   - holders: The programs that have device nodes open, keyed by node path.
    init(_ path: String, user: String, holders: [String: [Holder]]) {
        self.path = path
        var status = stat()
        guard stat(path, &status) == 0 else {
            exists = false
            canOpen = false
            return
        }
        mode = "0" + String(status.st_mode & 0o777, radix: 8)
        owner = getpwuid(status.st_uid).map { String(cString: $0.pointee.pw_name) } ?? "\(status.st_uid)"
        group = getgrgid(status.st_gid).map { String(cString: $0.pointee.gr_name) } ?? "\(status.st_gid)"
        isOpenToGroup = status.st_mode & 0o060 == 0o060
        canOpen = access(path, R_OK | W_OK) == 0
        isListedInGroup = Self.groups(of: user).contains(status.st_gid)
        let target = realpath(path, nil).map { resolved in
            defer { free(resolved) }
            return String(cString: resolved)
        }
        self.holders = holders[target ?? path] ?? []
        isSocket = status.st_mode & S_IFMT == S_IFSOCK
        guard isSocket else { return }
        let peers = SocketPeers(of: path)
        connections = peers.count
        self.holders = peers.holders.filter { $0.pid != getpid() }.map { holder in
            Holder(pid: holder.pid, name: holder.program.isEmpty ? "a program" : TerminalText.text(holder.program))
        }
    }

    private static func groups(of user: String) -> Set<gid_t> {
        guard let entry = getpwnam(user) else { return [] }
        var count: Int32 = 256
        var groups = [gid_t](repeating: 0, count: Int(count))
        _ = getgrouplist(user, entry.pointee.pw_gid, &groups, &count)
        return Set(groups.prefix(Int(max(0, min(count, 256)))))
    }
}

extension DeviceNodeState.Holder {
    /// Returns the programs that have files below /dev open, grouped by file path. Excludes this program.
    static func all(proc: String = "/proc") -> [String: [DeviceNodeState.Holder]] {
        var holders: [String: [DeviceNodeState.Holder]] = [:]
        let own = getpid()
        for name in (try? FileManager.default.contentsOfDirectory(atPath: proc)) ?? [] {
            guard let pid = Int32(name), pid != own else { continue }
            let folder = "\(proc)/\(name)"
            var paths: Set<String> = []
            for descriptor in (try? FileManager.default.contentsOfDirectory(atPath: folder + "/fd")) ?? [] {
                guard
                    let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/fd/\(descriptor)"),
                    path.hasPrefix("/dev/")
                else { continue }
                paths.insert(path)
            }
            guard !paths.isEmpty else { continue }
            let program = Self.name(of: folder) ?? "a program"
            for path in paths { holders[path, default: []].append(DeviceNodeState.Holder(pid: pid, name: program)) }
        }
        return holders.mapValues { $0.sorted { $0.pid < $1.pid } }
    }

    static func runs(_ name: String, proc: String = "/proc") -> Bool {
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: proc)) ?? []
        return processes.contains { Int32($0) != nil && Self.name(of: "\(proc)/\($0)") == name }
    }

    static func name(of folder: String) -> String? {
        guard let bytes = try? FileIO.read(folder + "/comm", limit: 64) else { return nil }
        return TerminalText.text(String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .newlines))
    }
}
