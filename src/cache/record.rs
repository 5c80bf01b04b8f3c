//! A report as bytes. Pure.
//!
//! ```text
//! layout u8 | visits u64 | root flags u8 [visits u64 winrate? lead?] | ownership count u16, f32 each
//! | moves u16, for each: vertex, order u32, visits u64, winrate, flags u8 [lead? lcb? prior? symmetry?],
//! pv count u16, vertices | extra count u16, keys and values as texts
//! ```
//!
//! Numbers are little-endian, a vertex is its column and row, 255 255 a pass. What the wire does not show
//! is left out: visits along the pv, the ownership of each move.

use crate::engine::gtp::analyze::{Extra, MoveInfo, Report, RootInfo};
use crate::go::{Point, Size, Vertex};

const LAYOUT: u8 = 1;

/// Longer records are not kept.
pub const LARGEST: usize = 512 * 1024;

/// The visits of the whole search, from a record's head.
pub fn visits(record: &[u8]) -> Option<u64> {
    let mut reader = Reader(record);
    (reader.byte()? == LAYOUT).then(|| reader.u64())?
}

/// Writes a report; `None` when it is too long to be kept, or says nothing.
pub fn write(report: &Report, visits: u64) -> Option<Vec<u8>> {
    report.value()?;
    let mut out = vec![LAYOUT];
    out.extend(visits.to_le_bytes());
    match &report.root {
        Some(root) => {
            out.push(1 | flag(1, root.winrate) | flag(2, root.score_lead));
            out.extend(root.visits.to_le_bytes());
            [root.winrate, root.score_lead].into_iter().flatten().for_each(|number| f64(&mut out, number));
        }
        None => out.push(0),
    }
    let ownership = report.ownership.as_deref().unwrap_or_default();
    count(&mut out, ownership.len())?;
    ownership.iter().for_each(|value| out.extend(value.to_le_bytes()));
    count(&mut out, report.moves.len())?;
    for info in &report.moves {
        write_move(&mut out, info)?;
    }
    (out.len() <= LARGEST).then_some(out)
}

fn write_move(out: &mut Vec<u8>, info: &MoveInfo) -> Option<()> {
    vertex(out, info.vertex);
    out.extend(info.order.to_le_bytes());
    out.extend(info.visits.to_le_bytes());
    f64(out, info.winrate);
    let numbers = [info.score_lead, info.lcb, info.prior];
    let flags = numbers.iter().enumerate().map(|(bit, number)| flag(bit as u8, *number)).sum::<u8>();
    out.push(flags | u8::from(info.symmetry_of.is_some()) << 3);
    numbers.into_iter().flatten().for_each(|number| f64(out, number));
    info.symmetry_of.into_iter().for_each(|other| vertex(out, other));
    count(out, info.pv.len())?;
    info.pv.iter().for_each(|next| vertex(out, *next));
    count(out, info.extra.iter().count())?;
    for text in info.extra.iter().flat_map(|(key, value)| [key, value]) {
        count(out, text.len())?;
        out.extend(text.as_bytes());
    }
    Some(())
}

fn flag(bit: u8, number: Option<f64>) -> u8 {
    u8::from(number.is_some()) << bit
}

fn f64(out: &mut Vec<u8>, number: f64) {
    out.extend(number.to_le_bytes());
}

fn vertex(out: &mut Vec<u8>, vertex: Vertex) {
    out.extend(match vertex {
        Vertex::At(point) => [point.col, point.row],
        Vertex::Pass => [u8::MAX; 2],
    });
}

fn count(out: &mut Vec<u8>, count: usize) -> Option<()> {
    out.extend(u16::try_from(count).ok()?.to_le_bytes());
    Some(())
}

/// Reads a report about a board of this size, and its visits; `None` for anything that [`write`] does not
/// write.
pub fn read(record: &[u8], size: Size) -> Option<(Report, u64)> {
    let mut reader = Reader(record);
    if reader.byte()? != LAYOUT {
        return None;
    }
    let visits = reader.u64()?;
    let flags = reader.byte()?;
    let root = match flags & 1 {
        0 => None,
        _ => Some(RootInfo {
            visits: reader.u64()?,
            winrate: reader.number(flags & 2 != 0)?,
            score_lead: reader.number(flags & 4 != 0)?,
        }),
    };
    let ownership = reader.ownership(size)?;
    let moves = (0..reader.count()?).map(|_| reader.info(size)).collect::<Option<Vec<_>>>()?;
    let report = Report { moves, root, ownership, skipped: 0 };
    (reader.0.is_empty() && report.value().is_some()).then_some((report, visits))
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(head)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    fn byte(&mut self) -> Option<u8> {
        self.array().map(|[byte]| byte)
    }

    fn count(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    fn f64(&mut self) -> Option<f64> {
        self.array().map(f64::from_le_bytes).filter(|number| number.is_finite())
    }

    /// A number that may be absent; `None` when it should be there and is not.
    fn number(&mut self, there: bool) -> Option<Option<f64>> {
        if there { self.f64().map(Some) } else { Some(None) }
    }

    fn vertex(&mut self, size: Size) -> Option<Vertex> {
        match self.array()? {
            [u8::MAX, u8::MAX] => Some(Vertex::Pass),
            [col, row] => Some(Point::new(col, row)).filter(|point| size.contains(*point)).map(Vertex::At),
        }
    }

    fn ownership(&mut self, size: Size) -> Option<Option<Vec<f32>>> {
        let count = usize::from(self.count()?);
        if count == 0 {
            return Some(None);
        }
        let values: Vec<f32> =
            self.take(4 * count)?.as_chunks().0.iter().map(|four| f32::from_le_bytes(*four)).collect();
        let fits = count == size.area() && values.iter().all(|value| (-1.0..=1.0).contains(value));
        fits.then_some(Some(values))
    }

    fn text(&mut self) -> Option<&'a str> {
        let length = self.count()?;
        std::str::from_utf8(self.take(usize::from(length))?).ok()
    }

    fn info(&mut self, size: Size) -> Option<MoveInfo> {
        let mut info = MoveInfo::new(self.vertex(size)?);
        info.order = self.array().map(u32::from_le_bytes)?;
        info.visits = self.u64()?;
        info.winrate = self.f64()?;
        let flags = self.byte()?;
        info.score_lead = self.number(flags & 1 != 0)?;
        info.lcb = self.number(flags & 2 != 0)?;
        info.prior = self.number(flags & 4 != 0)?;
        if flags & 8 != 0 {
            info.symmetry_of = Some(self.vertex(size)?);
        }
        info.pv = (0..self.count()?).map(|_| self.vertex(size)).collect::<Option<_>>()?;
        let pairs = (0..self.count()?)
            .map(|_| Some((self.text()?, self.text()?.to_owned())))
            .collect::<Option<Vec<_>>>()?;
        info.extra = Extra::gather(pairs.into_iter());
        Some(info)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::gtp::analyze::{Dialect, parse_line};
    use proptest::prelude::*;

    /// A line as KataGo prints it.
    const LINE: &str = "info move D4 visits 95 utility 0.1 winrate 0.5123 scoreLead 1.5 prior 0.25 lcb 0.49 \
        order 0 pv D4 Q16 pass info move Q16 visits 3 winrate 0.4 order 1 isSymmetryOf D4 pv Q16 weight 3 \
        rootInfo visits 99 winrate 0.5111 scoreLead 1.25";

    fn katago() -> Report {
        parse_line(LINE.as_bytes(), Dialect::Kata, Size::STANDARD)
    }

    #[test]
    fn a_report_comes_back_as_it_was() {
        let mut report = katago();
        assert_eq!((report.moves.len(), report.skipped), (2, 0), "{report:?}");
        assert_eq!(report.moves[0].extra.get("utility"), Some("0.1"));
        assert_eq!(report.moves[1].symmetry_of, Some(report.moves[0].vertex));
        for ownership in [None, Some(vec![-0.5; 361])] {
            report.ownership = ownership;
            let record = write(&report, 99).unwrap();
            assert_eq!(visits(&record), Some(99));
            assert_eq!(read(&record, Size::STANDARD), Some((report.clone(), 99)));
        }
    }

    #[test]
    fn what_says_nothing_or_too_much_is_not_kept() {
        assert_eq!(write(&Report::default(), 5), None);
        let mut report = katago();
        report.moves[0].pv = vec![Vertex::Pass; 70_000];
        assert_eq!(write(&report, 5), None);
        let long = MoveInfo { pv: vec![Vertex::Pass; 60_000], ..report.moves[1].clone() };
        report.moves = vec![long; 10];
        assert_eq!(write(&report, 5), None);
    }

    #[test]
    fn nothing_else_is_read() {
        let record = write(&katago(), 99).unwrap();
        for end in 0..record.len() {
            assert_eq!(read(&record[..end], Size::STANDARD), None, "cut at {end}");
        }
        assert_eq!(read(&[&record[..], b"x"].concat(), Size::STANDARD), None, "something behind it");
        assert_eq!(read(&record, Size::square(9).unwrap()), None, "Q16 is on no such board");
        let mut other = record.clone();
        other[0] += 1;
        assert_eq!((read(&other, Size::STANDARD), visits(&other)), (None, None), "another layout");
    }

    proptest! {
        #[test]
        fn no_bytes_are_trouble(bytes in proptest::collection::vec(any::<u8>(), 0..200), at in 0_usize..300) {
            let _ = (read(&bytes, Size::STANDARD), visits(&bytes));
            // Those that begin well.
            let mut record = write(&katago(), 99).unwrap();
            record.truncate(at);
            record.extend(bytes);
            let _ = read(&record, Size::STANDARD);
        }
    }
}
