//! Win rate and score lead over the moves of a game, as SVG.

use std::fmt::Write;

use super::analyze::Row;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 240.0;
const MARGIN: f64 = 40.0;

/// Draws Black's win rate (left axis, 0 to 100 %) and score lead (right axis, points). Where the numbers are a
/// demo engine's, it says so.
pub fn svg(rows: &[Row], demo: bool) -> String {
    let points: Vec<(f64, &Row)> = rows.iter().enumerate().map(|(index, row)| (index as f64, row)).collect();
    let last = (rows.len().max(2) - 1) as f64;
    let x = |index: f64| MARGIN + index / last * (WIDTH - 2.0 * MARGIN);
    let y = |share: f64| MARGIN / 2.0 + (1.0 - share) * (HEIGHT - MARGIN);
    let leads = || rows.iter().filter_map(|row| row.black?.score_lead);
    let reach = leads().fold(5.0_f64, |reach, lead| reach.max(lead.abs())).ceil();
    let winrate = line(points.iter().filter_map(|(i, row)| Some((x(*i), y(row.black?.winrate / 100.0)))));
    let score = line(
        points.iter().filter_map(|(i, row)| Some((x(*i), y(0.5 + row.black?.score_lead? / reach / 2.0)))),
    );
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <title>Win rate and score lead of Black</title>\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#fff\"/>\n"
    );
    for share in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let (height, percent, lead) = (y(share), share * 100.0, (share - 0.5) * 2.0 * reach);
        let colour = if share == 0.5 { "#888" } else { "#ddd" };
        let _ = writeln!(
            out,
            "<path d=\"M{MARGIN} {height:.1}H{:.1}\" stroke=\"{colour}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{percent:.0}%</text>\
             <text x=\"{:.1}\" y=\"{:.1}\" fill=\"#b3541e\">{lead:+.1}</text>",
            WIDTH - MARGIN,
            MARGIN - 5.0,
            height + 4.0,
            WIDTH - MARGIN + 5.0,
            height + 4.0,
        );
    }
    if demo {
        let (right, top) = (WIDTH - MARGIN, MARGIN / 2.0 - 6.0);
        let _ = writeln!(out, "<text x=\"{right:.1}\" y=\"{top:.1}\" text-anchor=\"end\">demo engine</text>");
    }
    for (index, row) in points.iter().filter(|(index, _)| (*index as usize).is_multiple_of(10)) {
        if let Some(number) = row.move_number {
            let _ = writeln!(
                out,
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{number}</text>",
                x(*index),
                HEIGHT - 4.0
            );
        }
    }
    let _ = writeln!(
        out,
        "<path d=\"{score}\" fill=\"none\" stroke=\"#b3541e\" stroke-dasharray=\"4 2\"/>\n\
         <path d=\"{winrate}\" fill=\"none\" stroke=\"#111\" stroke-width=\"2\"/>\n</svg>"
    );
    out
}

fn line(points: impl Iterator<Item = (f64, f64)>) -> String {
    let mut path = String::new();
    for (index, (x, y)) in points.enumerate() {
        let _ = write!(path, "{}{x:.1} {y:.1}", if index == 0 { 'M' } else { 'L' });
    }
    path
}

#[cfg(test)]
mod tests {
    use super::super::analyze::Black;
    use super::*;

    #[test]
    fn even_games_run_through_the_middle_and_gaps_are_skipped() {
        let row = |winrate| Row { black: Some(Black { winrate, score_lead: Some(0.0) }), ..Row::default() };
        let drawing = svg(&[row(50.0), Row::default(), row(100.0)], false);
        assert!(drawing.contains("d=\"M40.0 120.0L680.0 20.0\""), "{drawing}");
        assert!(drawing.contains("d=\"M40.0 120.0L680.0 120.0\""), "{drawing}");
        assert!(svg(&[], false).ends_with("</svg>\n"));
        let named = [false, true].map(|demo| svg(&[row(50.0)], demo).contains(">demo engine</text>"));
        assert_eq!(named, [false, true]);
    }
}
