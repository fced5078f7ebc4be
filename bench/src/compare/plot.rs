//! The figures as a picture: for each workload a bar for each contender, longest the fastest.

use crate::load::{Cell, Column, Plan, Role, Sheet, number};
use std::fmt::Write;

const COLUMNS: usize = 3;
const WIDTH: usize = 340;
const MARGIN: usize = 24;
const HEADING: usize = 64;
const TITLE: usize = 26;
const BAR: usize = 17;
/// Where bars begin, and how long the longest is.
const NAMES: usize = 124;
const LONGEST: f64 = 140.0;

/// The one that all is about.
const OURS: &str = "monotable";

/// Draws what was measured with so many connections.
pub fn svg(sheet: &Sheet, plan: &Plan, connections: u32) -> String {
    let drawn: Vec<(usize, &Column)> = sheet
        .contenders
        .iter()
        .enumerate()
        .filter(|(_, column)| column.missing.is_none())
        .collect();
    let panel = TITLE + BAR * drawn.len() + MARGIN;
    let width = MARGIN * 2 + WIDTH * COLUMNS;
    let height = HEADING + panel * plan.workloads.len().div_ceil(COLUMNS);
    let mut svg = format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" font-family="system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif" font-size="12" fill="#24292f">
<rect width="{width}" height="{height}" fill="#ffffff"/>
<text x="{MARGIN}" y="30" font-size="17" font-weight="600">Requests per second, {connections} connections</text>
<text x="{MARGIN}" y="48" fill="#57606a">Each workload has a scale of its own. Dashed: limits, a bare HTTP server and the store without HTTP.</text>
"##
    );
    for (place, &workload) in plan.workloads.iter().enumerate() {
        let x = MARGIN + WIDTH * (place % COLUMNS);
        let y = HEADING + panel * (place / COLUMNS);
        // Writing to a string cannot fail.
        let _ = writeln!(svg, r#"<g transform="translate({x} {y})">"#);
        let _ = writeln!(
            svg,
            r#"<text y="16" font-size="13" font-weight="600">{}</text>"#,
            workload.name()
        );
        let cells: Vec<_> = drawn
            .iter()
            .filter_map(|(contender, column)| {
                Some((*column, sheet.find(connections, workload, *contender, false)?))
            })
            .collect();
        let most = cells.iter().map(|(_, cell)| cell.rate()).fold(0.0, f64::max);
        for (line, (column, cell)) in cells.into_iter().enumerate() {
            bar(&mut svg, TITLE + BAR * line, column, cell, most);
        }
        svg.push_str("</g>\n");
    }
    svg.push_str("</svg>\n");
    svg
}

/// One line of a panel.
fn bar(svg: &mut String, y: usize, column: &Column, cell: &Cell, most: f64) {
    let middle = y + 10;
    let weight = if column.name == OURS { r#" font-weight="600""# } else { "" };
    let name = escaped(&column.name);
    let _ = writeln!(
        svg,
        r#"<text x="{}" y="{middle}" text-anchor="end"{weight}>{name}</text>"#,
        NAMES - 6
    );
    let (length, text) = match cell.error {
        None => (LONGEST * cell.rate() / most.max(f64::MIN_POSITIVE), number(cell.rate())),
        Some(_) => (0.0, "error".to_owned()),
    };
    let length = if length > 0.0 { length.max(1.0) } else { 0.0 };
    let look = match column.role {
        Role::Ours if column.name == OURS => r##"fill="#0969da""##,
        Role::Ours => r##"fill="#80b3f0""##,
        Role::Peer => r##"fill="#afb8c1""##,
        Role::Limit => {
            r##"fill="#f6f8fa" stroke="#6e7781" stroke-width="1" stroke-dasharray="3 2""##
        }
    };
    let _ = writeln!(
        svg,
        r#"<rect x="{NAMES}" y="{y}" width="{length:.1}" height="{}" rx="2" {look}/>"#,
        BAR - 4
    );
    let _ = writeln!(
        svg,
        r##"<text x="{:.1}" y="{middle}" fill="#57606a">{text}</text>"##,
        NAMES as f64 + length + 5.0
    );
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
