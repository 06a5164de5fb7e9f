// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing

@Suite("Mount matrices")
struct MountMatrixTests {
    @Test("Each row of the matrix computes one device axis")
    func rows() throws {
        // The chip is rotated by 90° counterclockwise: its x axis points to the device's top (y), its y axis to the
        // left (-x).
        let matrix = try #require(MountMatrix("0, -1, 0; 1, 0, 0; 0, 0, 1"))
        #expect(matrix.apply(to: [1, 0, 0]) == [0, 1, 0])
        #expect(matrix.apply(to: [0, 1, 0]) == [-1, 0, 0])
        #expect(matrix.apply(to: [2, 3, 5]) == [-3, 2, 5])
        #expect(matrix.determinant == 1)
        #expect(matrix.problem == nil)
        #expect(matrix.text == "0, -1, 0; 1, 0, 0; 0, 0, 1")
    }

    @Test("Mirroring and singular matrices are distinguished")
    func problems() throws {
        // From systemd's hardware database for tablets: the determinant is 0*0*1 - (-1)*(-1)*1 = -1.
        let mirror = try #require(MountMatrix("0,-1,0;-1,0,0;0,0,1"))
        #expect(mirror.determinant == -1)
        #expect(mirror.problem?.contains("reflection") == true)
        #expect(!mirror.isSingular)
        let singular = try #require(MountMatrix("1, 0, 0; 0, 1, 0; 0, 0, 0"))
        #expect(singular.isSingular)
        #expect(singular.problem?.contains("singular") == true)
    }

    @Test("Decimals, whitespace, line breaks and a trailing NUL are accepted")
    func spellings() throws {
        let matrix = try #require(MountMatrix(" 0.5,  -0.866 , 0 ;0.866,0.5,0; 0,0,1;\n\0"))
        #expect(matrix.rows.0 == [0.5, -0.866, 0])
        #expect(matrix.rows.1 == [0.866, 0.5, 0])
    }

    @Test(
        "Text that is not nine valid numbers in three rows is rejected",
        arguments: [
            "", "1 0 0 0 1 0 0 0 1", "1,0,0;0,1,0", "1,0,0;0,1,0;0,0", "1,0,0;0,1,0;0,0,x", "1,0,0;0,1,0;0,0,nan",
            "1,0,0;0,1,0;0,0,inf", "1,0,0;0,1,0;0,0,1e300", "1,0,0,0;1,0;0,0,1", "1,0,0;0,1,0;0,0,1;0,0,0",
            String(repeating: "1,", count: 2000),
        ])
    func none(text: String) {
        #expect(MountMatrix(text) == nil)
    }
}
