//! Text tables for terminals: columns as wide as their widest cell, a Chinese character as wide as two
//! letters.

use std::fmt;

/// A column's heading and side.
pub struct Column {
    heading: &'static str,
    right: bool,
}

impl Column {
    /// Text: starts at the left.
    pub const fn left(heading: &'static str) -> Column {
        Column { heading, right: false }
    }

    /// Numbers: end at the right.
    pub const fn right(heading: &'static str) -> Column {
        Column { heading, right: true }
    }
}

/// A table, printed through `Display`.
pub struct Table<'a> {
    columns: &'a [Column],
    rows: Vec<Vec<String>>,
}

impl<'a> Table<'a> {
    /// A table without rows.
    pub fn new(columns: &'a [Column]) -> Table<'a> {
        Table { columns, rows: Vec::new() }
    }

    /// Adds a row; missing cells are empty.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    fn width(&self, index: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.get(index)).map(|cell| columns(cell));
        cells.chain([columns(self.columns[index].heading)]).max().unwrap_or(0)
    }

    fn line<'c>(
        &self,
        f: &mut fmt::Formatter<'_>,
        widths: &[usize],
        cell: impl Fn(usize) -> &'c str,
    ) -> fmt::Result {
        let mut line = String::new();
        for (index, (column, width)) in self.columns.iter().zip(widths).enumerate() {
            let text = cell(index);
            let pad = " ".repeat(width.saturating_sub(columns(text)));
            let (before, after) = if column.right { (pad.as_str(), "") } else { ("", pad.as_str()) };
            line.push_str(if index == 0 { "" } else { "  " });
            line.push_str(before);
            line.push_str(text);
            line.push_str(after);
        }
        writeln!(f, "{}", line.trim_end())
    }
}

/// How many columns of a terminal a text takes.
fn columns(text: &str) -> usize {
    text.chars().map(|character| if character < '\u{1100}' { 1 } else { 2 }).sum()
}

impl fmt::Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let widths: Vec<usize> = (0..self.columns.len()).map(|index| self.width(index)).collect();
        self.line(f, &widths, |index| self.columns[index].heading)?;
        for row in &self.rows {
            self.line(f, &widths, |index| row.get(index).map_or("", String::as_str))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let columns = [Column::right("n"), Column::left("played"), Column::right("visits")];
        let mut table = Table::new(&columns);
        table.row(vec!["1".into(), "B Q16".into(), "50".into()]);
        table.row(vec!["10".into(), "W 目".into()]);
        let lines: Vec<String> = table.to_string().lines().map(str::to_owned).collect();
        assert_eq!(lines, [" n  played  visits", " 1  B Q16       50", "10  W 目"]);
    }
}
