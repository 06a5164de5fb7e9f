// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// Who may open a node, and who has it open.
struct NodeFacts: Sendable, Hashable {
    /// A program that has the node open.
    struct Holder: Sendable, Hashable {
        var pid: Int32
        var name: String
    }

    var path: String
    /// False when there is no such node.
    var exists = true
    /// As in "0660".
    var mode = "0660"
    var owner = "root"
    var group = "dialout"
    /// True when the group may read and write.
    var isOpenToGroup = true
    /// True when this process may open it.
    var canOpen = true
    /// True when the user is listed in the group, be it that this session began before that.
    var isListedInGroup = false
    /// As far as this user may look: others' programs are seen by root only. Of a socket those that are connected to it.
    var holders: [Holder] = []
    /// True for a socket, which may serve several programs at a time.
    var isSocket = false
    /// How many connections a socket has, be it that it cannot be seen who has them.
    var connections = 0
}
