//! A small random generator: the same seed gives the same numbers on every machine.

/// Sixty-four bits of state, moved by xorshift and scrambled by a product (Vigna, 2016).
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// A generator for this seed; any value will do.
    pub fn new(seed: u64) -> Random {
        // Seeds are mostly small numbers. One step of splitmix64 spreads them, and zero would be a fixed point.
        let mut state = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Random((state ^ (state >> 31)) | 1)
    }

    /// Thirty-two random bits.
    #[inline]
    pub fn bits(&mut self) -> u32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as u32
    }

    /// A number below `end`; 0 when `end` is 0.
    #[inline]
    pub fn below(&mut self, end: usize) -> usize {
        ((u64::from(self.bits()) * end as u64) >> 32) as usize
    }

    /// Whether an event of this probability, in 256ths, happens.
    #[inline]
    pub fn chance(&mut self, of_256: u32) -> bool {
        (self.bits() >> 24) < of_256
    }
}
