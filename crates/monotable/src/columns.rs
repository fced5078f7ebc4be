//! Rows of cells as lines of text whose columns are aligned.

/// The lines.
pub(crate) fn aligned(rows: &[Vec<String>]) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or_default();
    let widest = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(width).max();
    let widths: Vec<usize> = (0..count).map(|column| widest(column).unwrap_or_default()).collect();
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().zip(&widths);
        let cells: Vec<String> =
            cells.map(|(cell, wide)| format!("{cell}{}", " ".repeat(wide - width(cell)))).collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}

/// How many characters a cell takes.
#[expect(clippy::ptr_arg, reason = "given to map as it is")]
pub(crate) fn width(cell: &String) -> usize {
    cell.chars().count()
}
