//! What a game says about itself: kind, size, komi, players.

use crate::go::Size;

use super::value::{self, ValueError, number, real, simple_text, trim};
use super::{NodeId, Property, Record};

/// Which game a tree records (`GM`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GameKind {
    /// Go: `GM[1]`, or no `GM` at all.
    Go,
    /// Another game, with `GM`'s value as written.
    Other(String),
}

/// The komi that a game was played with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Komi {
    /// Points for White; `None` when the record does not tell. A missing komi is unknown:
    /// neither 0 nor any house's usual one.
    pub points: Option<f64>,
    /// Where the number comes from.
    pub source: KomiSource,
}

/// Where a [`Komi`] comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KomiSource {
    /// `KM` says so.
    Stated,
    /// `KM` in hundredths, as the Fox server writes it: of points (`650`), or of stones,
    /// which are two points each (`375`).
    FoxHundredths,
    /// There is no `KM`; a number in the root's `KO` is meant, as some servers write it.
    InKo,
    /// There is no `KM`.
    Missing,
    /// `KM[]`.
    Empty,
    /// `KM` is no number.
    Unreadable,
    /// `KM` is no number of points that a game can have.
    OutOfRange,
}

/// The facts at the root of a game. Texts are unescaped, `None` when missing or empty.
#[derive(Debug, Clone, PartialEq)]
pub struct GameInfo {
    /// Which game.
    pub kind: GameKind,
    /// The version of the format (`FF`); 1 when missing, as the format says.
    pub format: i64,
    /// The board (`SZ`); 19x19 when missing or unreadable.
    pub size: Size,
    /// Effective komi (`KM`).
    pub komi: Komi,
    /// Handicap stones (`HA`).
    pub handicap: Option<i64>,
    /// Rules (`RU`), as written.
    pub rules: Option<String>,
    /// Black's name (`PB`).
    pub black: Option<String>,
    /// White's name (`PW`).
    pub white: Option<String>,
    /// Black's rank (`BR`).
    pub black_rank: Option<String>,
    /// White's rank (`WR`).
    pub white_rank: Option<String>,
    /// Result (`RE`), as written.
    pub result: Option<String>,
    /// Date (`DT`), as written.
    pub date: Option<String>,
    /// Event (`EV`).
    pub event: Option<String>,
    /// Round (`RO`).
    pub round: Option<String>,
    /// Place (`PC`).
    pub place: Option<String>,
    /// Name of the game (`GN`).
    pub name: Option<String>,
    /// Main time in seconds (`TM`).
    pub time: Option<f64>,
    /// Overtime (`OT`), as written.
    pub overtime: Option<String>,
    /// Comment on the game (`GC`).
    pub comment: Option<String>,
    /// The program that wrote the record (`AP`), as written.
    pub application: Option<String>,
    /// Charset that the record names (`CA`).
    pub charset: Option<String>,
}

impl Record {
    /// The facts at the root of a game.
    pub fn info(&self, game: usize) -> Option<GameInfo> {
        let root = self.game(game)?.root;
        let line = |ident| text_of(self, root, ident);
        Some(GameInfo {
            kind: self.kind(root),
            format: self.property(root, "FF").map_or(1, |ff| number(ff.first_raw()).unwrap_or(1)),
            size: self.size(root),
            komi: self.komi(root),
            handicap: self.property(root, "HA").and_then(|ha| number(ha.first_raw()).ok()),
            rules: line("RU"),
            black: line("PB"),
            white: line("PW"),
            black_rank: line("BR"),
            white_rank: line("WR"),
            result: line("RE"),
            date: line("DT"),
            event: line("EV"),
            round: line("RO"),
            place: line("PC"),
            name: line("GN"),
            time: self.property(root, "TM").and_then(|tm| real(tm.first_raw()).ok()),
            overtime: line("OT"),
            comment: self
                .property(root, "GC")
                .map(|gc| value::text(gc.first_raw()).into_owned())
                .filter(|text| !text.is_empty()),
            application: line("AP"),
            charset: line("CA"),
        })
    }

    /// Which game this node belongs to.
    pub fn kind(&self, id: NodeId) -> GameKind {
        let Some(gm) = self.property(self.root_of(id), "GM") else { return GameKind::Go };
        match number(gm.first_raw()) {
            Ok(1) | Err(ValueError::Empty) => GameKind::Go,
            _ => GameKind::Other(trim(gm.first_raw()).chars().take(40).collect()),
        }
    }

    /// The board of the game that this node belongs to; 19x19 when `SZ` is missing or
    /// unreadable.
    pub fn size(&self, id: NodeId) -> Size {
        let sz = self.property(self.root_of(id), "SZ");
        sz.and_then(|sz| value::size(sz.first_raw()).ok()).unwrap_or(Size::STANDARD)
    }

    /// The komi at a node: `KM` of the nearest node on the way to the root that has one.
    pub fn komi(&self, id: NodeId) -> Komi {
        let mut line = std::iter::successors(Some(id), |node| self.parent(*node));
        let km = line.find_map(|node| self.property(node, "KM"));
        match km {
            Some(km) => komi_of(km, || self.written_by_fox(id)),
            None => self.komi_in_ko(id).unwrap_or(Komi { points: None, source: KomiSource::Missing }),
        }
    }

    /// `KO` asks to make an illegal move; in a root without a move it can ask for nothing.
    fn komi_in_ko(&self, id: NodeId) -> Option<Komi> {
        let points = real(self.property(self.root_of(id), "KO")?.first_raw()).ok()?;
        (points.abs() <= GREATEST).then_some(Komi { points: Some(points), source: KomiSource::InKo })
    }

    /// Whether the Fox server wrote the record: other programs may have put their own `AP`
    /// before its one.
    fn written_by_fox(&self, id: NodeId) -> bool {
        let mut programs = self.values_of(self.root_of(id), "AP");
        programs.any(|ap| ap.raw().to_ascii_lowercase().contains("foxwq"))
    }
}

/// The greatest `KM` that is taken for one, of either sign: no board of 52x52 has more points.
const GREATEST: f64 = 10_000.0;

/// The smallest `KM` that Fox can mean in hundredths: a quarter of a stone.
const SMALLEST_FOX: f64 = 25.0;

fn komi_of(km: Property<'_>, by_fox: impl FnOnce() -> bool) -> Komi {
    let komi = |points, source| Komi { points, source };
    let stated = match real(km.first_raw()) {
        Ok(stated) => stated,
        Err(ValueError::Empty) => return komi(None, KomiSource::Empty),
        Err(_) => return komi(None, KomiSource::Unreadable),
    };
    if !stated.is_finite() || stated.abs() > GREATEST {
        return komi(None, KomiSource::OutOfRange);
    }
    if stated.abs() < SMALLEST_FOX || stated.fract() != 0.0 || !by_fox() {
        return komi(Some(stated), KomiSource::Stated);
    }
    let hundredths = stated / 100.0;
    // Komi goes by half points. What does not was counted in stones: 375 is 3 3/4 stones.
    let in_points = (hundredths * 2.0).fract() == 0.0;
    let points = if in_points { hundredths } else { hundredths * 2.0 };
    komi(Some(points), KomiSource::FoxHundredths)
}

/// A property's `SimpleText`, trimmed; `None` when missing or empty.
fn text_of(record: &Record, id: NodeId, ident: &str) -> Option<String> {
    let text = simple_text(record.property(id, ident)?.first_raw());
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effective_komi() {
        use KomiSource::*;
        let cases = [
            ("(;KM[6.5])", Some(6.5), Stated),
            ("(;KM[-5.5])", Some(-5.5), Stated),
            ("(;KO[6.5])", Some(6.5), InKo),
            ("(;KO[6.5]KM[7.5])", Some(7.5), Stated),
            ("(;KO[];B[aa])", None, Missing),
            ("(;KM[0])", Some(0.0), Stated),
            ("(;KM[375])", Some(375.0), Stated),
            ("(;KM[6,5])", None, Unreadable),
            ("(;KM[10000])", Some(10_000.0), Stated),
            ("(;KM[10001])", None, OutOfRange),
            ("(;KM[-99999999999999999999])", None, OutOfRange),
            ("(;KM[])", None, Empty),
            ("(;SZ[7]RU[AGA])", None, Missing),
            ("(;KM[375]RU[Chinese]AP[GNU Go:3.8]AP[foxwq])", Some(7.5), FoxHundredths),
            ("(;KM[375]AP[GNU Go:3.8][foxwq])", Some(7.5), FoxHundredths),
            ("(;KM[50]HA[2]RU[Japanese]AP[foxwq])", Some(0.5), FoxHundredths),
            ("(;KM[650]AP[foxwq])", Some(6.5), FoxHundredths),
            ("(;KM[750]AP[foxwq])", Some(7.5), FoxHundredths),
            ("(;KM[325]AP[foxwq])", Some(6.5), FoxHundredths),
            ("(;KM[0]AP[foxwq])", Some(0.0), Stated),
            ("(;KM[6.5]AP[foxwq])", Some(6.5), Stated),
        ];
        for (text, points, source) in cases {
            assert_eq!(Record::parse(text).komi(NodeId(0)), Komi { points, source }, "{text}");
        }
    }

    #[test]
    fn facts_of_each_game_of_a_collection() {
        let record = Record::parse(
            "(;GM[1]FF[4]SZ[9]PB[\\[A\\]]PW[  ]RU[Chinese]TM[1800]HA[x])(;GM[11]SZ[11])(;SiZe[19:13]PlayerBlack[x])",
        );
        let info = record.info(0).unwrap();
        assert_eq!((info.black.as_deref(), info.white), (Some("[A]"), None));
        assert_eq!((info.rules.as_deref(), info.time, info.handicap), (Some("Chinese"), Some(1800.0), None));
        assert_eq!((info.format, info.size, info.kind), (4, Size::square(9).unwrap(), GameKind::Go));
        assert_eq!(record.info(1).unwrap().kind, GameKind::Other("11".into()));
        let old = record.info(2).unwrap();
        assert_eq!((old.size, old.black.as_deref()), (Size::new(19, 13).unwrap(), Some("x")));
        assert_eq!(record.info(3), None);
    }

    #[test]
    fn a_size_that_is_none_is_the_standard() {
        for text in ["(;SZ[])", "(;SZ[0])", "(;SZ[53])", "(;SZ[-3])", "(;SZ[x])", "(;)", "(;SZ)"] {
            assert_eq!(Record::parse(text).size(NodeId(0)), Size::STANDARD, "{text}");
        }
    }
}
