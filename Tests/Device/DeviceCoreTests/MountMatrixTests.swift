// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing

@Suite("Mount matrices")
struct MountMatrixTests {
    @Test("Rows become the device's axes")
    func rows() throws {
        // The chip is turned by a quarter to the left: its x points to the device's top (y), its y to the left (-x).
        let matrix = try #require(MountMatrix("0, -1, 0; 1, 0, 0; 0, 0, 1"))
        #expect(matrix.apply(to: [1, 0, 0]) == [0, 1, 0])
        #expect(matrix.apply(to: [0, 1, 0]) == [-1, 0, 0])
        #expect(matrix.apply(to: [2, 3, 5]) == [-3, 2, 5])
        #expect(matrix.determinant == 1)
        #expect(matrix.problem == nil)
        #expect(matrix.text == "0, -1, 0; 1, 0, 0; 0, 0, 1")
    }

    @Test("A matrix that mirrors and one that loses a direction are told apart")
    func problems() throws {
        // Shipped in systemd's hardware database for tablets: determinant -1, by hand 0*0*1 - (-1)*(-1)*1 = -1.
        let mirror = try #require(MountMatrix("0,-1,0;-1,0,0;0,0,1"))
        #expect(mirror.determinant == -1)
        #expect(mirror.problem?.contains("mirrors") == true)
        #expect(!mirror.isSingular)
        let singular = try #require(MountMatrix("1, 0, 0; 0, 1, 0; 0, 0, 0"))
        #expect(singular.isSingular)
        #expect(singular.problem?.contains("singular") == true)
    }

    @Test("Decimals, blanks, line ends and a trailing NUL are read")
    func spellings() throws {
        let matrix = try #require(MountMatrix(" 0.5,  -0.866 , 0 ;0.866,0.5,0; 0,0,1;\n\0"))
        #expect(matrix.rows.0 == [0.5, -0.866, 0])
        #expect(matrix.rows.1 == [0.866, 0.5, 0])
    }

    @Test(
        "What is not nine numbers in three rows is none",
        arguments: [
            "", "1 0 0 0 1 0 0 0 1", "1,0,0;0,1,0", "1,0,0;0,1,0;0,0", "1,0,0;0,1,0;0,0,x", "1,0,0;0,1,0;0,0,nan",
            "1,0,0;0,1,0;0,0,inf", "1,0,0;0,1,0;0,0,1e300", "1,0,0,0;1,0;0,0,1", "1,0,0;0,1,0;0,0,1;0,0,0",
            String(repeating: "1,", count: 2000),
        ])
    func none(text: String) {
        #expect(MountMatrix(text) == nil)
    }
}
