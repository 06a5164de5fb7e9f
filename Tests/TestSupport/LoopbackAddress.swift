// SPDX-License-Identifier: Apache-2.0

package import SystemCalls

/// Addresses as the socket calls take them.
package enum LoopbackAddress {
    /// A port of this machine's that others cannot reach.
    package static func of(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
