//! What servers and old programs write in their own way, written as FF\[4\] has it.

use super::super::{Code, Level, Levels, Record, Severity, TextEdit, together};
use super::{CheckOptions, Keep, gather};

/// Whether fixes of this code say the same thing in the words of FF\[4\].
pub(super) fn is_dialect(code: Code) -> bool {
    use Code::*;
    matches!(
        code,
        OldPass
            | OffBoard
            | KomiInKo
            | ForeignName
            | FoxKomi
            | HandicapAsMoves
            | OldSpelling
            | LowerCaseName
            | SquareSize
            | BadNumber
            | BadColor
            | BadDate
            | BadResult
    )
}

/// The edits that write a record's dialect as FF\[4\] has it: names in capitals, servers' names by the right ones,
/// `tt` and the point behind the corner as passes, komi of the Fox server in points and from `KO` in `KM`, Black's
/// leading moves as handicap stones, numbers, dates and results in their forms. Sorted, without overlap; what has to
/// wait for another edit is left for a second time. Comments that allow a finding keep it.
pub fn normalise(record: &Record) -> Vec<TextEdit> {
    let mut levels = Levels::default();
    levels.set(Code::OldPass, Level::Show(Severity::Hint));
    let options = CheckOptions { levels, ..CheckOptions::default() };
    let mut found = gather(record, &options, Keep::Dialect).list;
    // Nodes that go need nothing else.
    found.sort_by_key(|finding| finding.code != Code::HandicapAsMoves);
    together(found.iter().filter_map(|finding| finding.fix.as_ref()))
}

#[cfg(test)]
mod tests {
    use super::super::super::apply_edits;
    use super::*;

    fn normalised(text: &str) -> String {
        apply_edits(text, &normalise(&Record::parse(text)))
    }

    #[test]
    fn dialects() {
        for (text, expected) in [
            // PandaNet, in FF[3] where lower-case letters are allowed.
            ("(;GM[1]FF[3]\nCoPyright[x];B[pd];W[tt])", "(;GM[1]FF[3]\nCP[x];B[pd];W[])"),
            ("(;SZ[18];Black[aa];White[ss])", "(;SZ[18];B[aa];W[])"),
            ("(;SZ[19]KO[7,5];B[aa])", "(;SZ[19]KO[7,5];B[aa])"),
            ("(;SZ[19]KO[7.5];B[aa])", "(;SZ[19]KM[7.5];B[aa])"),
            ("(;SZ[19]KM[375]AP[foxwq];B[aa])", "(;SZ[19]KM[7.5]AP[foxwq];B[aa])"),
            ("(;SZ[19:19]KM[6,5]RE[b+r]DT[2001/2/3])", "(;SZ[19]KM[6.5]RE[B+R]DT[2001-02-03])"),
            ("(;SZ[9]HA[2];B[cc];B[gg];W[ee];B[ge])", "(;SZ[9]HA[2]AB[cc][gg];W[ee];B[ge])"),
            (
                "(;SZ[9]HA[0]KM[0]\n;B[cc]\n;b[gg]\n(;W[ee])(;W[ff]))",
                "(;SZ[9]HA[2]AB[cc][gg]KM[0]\n\n(;W[ee])(;W[ff]))",
            ),
            ("(;SZ[9];B[cc];B[gg];W[ee])", "(;SZ[9]HA[2]AB[cc][gg];W[ee])"),
            // What a comment says of a stone, or a variation, would be lost.
            ("(;SZ[9]HA[2];B[cc]C[x];B[gg];W[ee])", "(;SZ[9]HA[2];B[cc]C[x];B[gg];W[ee])"),
            ("(;SZ[9]HA[2];B[cc](;B[gg];W[ee])(;W[aa]))", "(;SZ[9]HA[2];B[cc](;B[gg];W[ee])(;W[aa]))"),
            ("(;SZ[9]HA[2](;B[cc](;B[gg];W[ee])))", "(;SZ[9]HA[2](;B[cc](;B[gg];W[ee])))"),
            ("(;FF[4]SZ[9]C[Black];B[cc];W[])", "(;FF[4]SZ[9]C[Black];B[cc];W[])"),
            ("(;SZ[9]C[kifud: allow bad-number]KM[6,5])", "(;SZ[9]C[kifud: allow bad-number]KM[6,5])"),
        ] {
            assert_eq!(normalised(text), expected, "{text}");
            assert_eq!(normalised(expected), expected, "{text}");
        }
    }
}
