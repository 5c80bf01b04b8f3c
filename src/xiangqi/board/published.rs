//! The published table: eleven positions and what is counted from them.
//!
//! The figures are those of the page "Chinese Chess Perft Results" of the Chess Programming Wiki, which
//! many programs agree on, with one correction to how they are read: the mates of its row d are the
//! mates at depth d - 1. Programs of that time noticed that a side had no reply when they tried to
//! generate one, and put it down to the depth they were generating for. So a count of lines of d plies
//! that end in mate equals the published row d + 1, in all eleven positions, and none of them has a
//! stalemate at its leaves.

/// One published position, Red to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Published {
    /// Its FEN, in the letters of the page (`h` horse, `e` elephant).
    pub fen: &'static str,
    /// The rows for depths 1 to 5.
    pub rows: [PublishedRow; 5],
}

/// One row of the published table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PublishedRow {
    /// Lines of play of this length.
    pub nodes: u64,
    /// Those that end with a check.
    pub checks: u64,
    /// Those that end with a capture.
    pub captures: u64,
    /// As published: the lines of the length *before* that end in mate.
    pub mates: u64,
}

impl Published {
    /// Mates at the end of lines of `depth` plies, from 1; published for depths up to 4.
    pub fn mates(&self, depth: usize) -> Option<u64> {
        self.rows.get(depth).map(|row| row.mates)
    }
}

const fn row(nodes: u64, checks: u64, captures: u64, mates: u64) -> PublishedRow {
    PublishedRow { nodes, checks, captures, mates }
}

/// The eleven positions, the start first.
pub static POSITIONS: [Published; 11] = [
    Published {
        fen: "rheakaehr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RHEAKAEHR w",
        rows: [
            row(44, 0, 2, 0),
            row(1920, 6, 72, 0),
            row(79_666, 384, 3159, 0),
            row(3_290_240, 19_380, 115_365, 0),
            row(133_312_995, 953_251, 4_917_734, 0),
        ],
    },
    Published {
        fen: "r1ea1a3/4kh3/2h1e4/pHp1p1p1p/4c4/6P2/P1P2R2P/1CcC5/9/2EAKAE2 w",
        rows: [
            row(38, 1, 1, 0),
            row(1128, 12, 10, 0),
            row(43_929, 1190, 2105, 0),
            row(1_339_047, 21_299, 31_409, 23),
            row(53_112_976, 1_496_697, 3_262_495, 1537),
        ],
    },
    Published {
        fen: "1ceak4/9/h2a5/2p1p3p/5cp2/2h2H3/6PCP/3AE4/2C6/3A1K1H1 w",
        rows: [
            row(7, 0, 0, 0),
            row(281, 9, 10, 0),
            row(8620, 64, 540, 0),
            row(326_201, 10_121, 11_730, 0),
            row(10_369_923, 162_542, 660_479, 3),
        ],
    },
    Published {
        fen: "5a3/3k5/3aR4/9/5r3/5h3/9/3A1A3/5K3/2EC2E2 w",
        rows: [
            row(25, 3, 2, 0),
            row(424, 9, 6, 0),
            row(9850, 963, 771, 0),
            row(202_884, 8699, 9179, 12),
            row(4_739_553, 380_858, 326_535, 161),
        ],
    },
    Published {
        fen: "CRH1k1e2/3ca4/4ea3/9/2hr5/9/9/4E4/4A4/4KA3 w",
        rows: [
            row(28, 12, 1, 0),
            row(516, 15, 7, 0),
            row(14_808, 3041, 675, 0),
            row(395_483, 12_444, 11_485, 162),
            row(11_842_230, 1_254_024, 590_801, 495),
        ],
    },
    Published {
        fen: "R1H1k1e2/9/3aea3/9/2hr5/2E6/9/4E4/4A4/4KA3 w",
        rows: [
            row(21, 4, 1, 0),
            row(364, 16, 22, 0),
            row(7626, 784, 502, 0),
            row(162_837, 5865, 10_683, 17),
            row(3_500_505, 236_182, 241_214, 24),
        ],
    },
    Published {
        fen: "C1hHk4/9/9/9/9/9/h1pp5/E3C4/9/3A1K3 w",
        rows: [
            row(28, 2, 0, 0),
            row(222, 0, 12, 0),
            row(6241, 464, 40, 0),
            row(64_971, 105, 4966, 0),
            row(1_914_306, 116_319, 17_459, 0),
        ],
    },
    Published {
        fen: "4ka3/4a4/9/9/4H4/p8/9/4C3c/7h1/2EK5 w",
        rows: [
            row(23, 8, 1, 0),
            row(345, 4, 6, 0),
            row(8124, 1524, 179, 0),
            row(149_272, 3201, 2857, 32),
            row(3_513_104, 390_765, 57_928, 274),
        ],
    },
    Published {
        fen: "2e1ka3/9/e3H4/4h4/9/9/9/4C4/2p6/2EK5 w",
        rows: [
            row(21, 6, 1, 0),
            row(195, 28, 30, 0),
            row(3883, 411, 135, 0),
            row(48_060, 6419, 6087, 0),
            row(933_096, 71_759, 26_841, 0),
        ],
    },
    Published {
        fen: "1C2ka3/9/C1Hae1h2/p3p3p/6p2/9/P3P3P/3AE4/3p2c2/c1EAK4 w",
        rows: [
            row(30, 2, 3, 0),
            row(830, 55, 64, 0),
            row(22_787, 858, 2163, 0),
            row(649_866, 39_719, 57_076, 65),
            row(17_920_736, 518_816, 1_625_453, 44),
        ],
    },
    Published {
        fen: "ChH1k1e2/c3a4/4ea3/9/2hr5/9/9/4C4/4A4/4KA3 w",
        rows: [
            row(19, 3, 2, 0),
            row(583, 15, 14, 0),
            row(11_714, 1680, 880, 0),
            row(376_467, 12_434, 14_459, 2),
            row(8_148_177, 988_563, 537_908, 362),
        ],
    },
];
