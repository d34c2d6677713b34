//! The table, printed row by row while it is measured, and the same as JSON.

use crate::sample::Sample;
use serde_json::{Map, Value, json};
use std::path::Path;

const LABEL: usize = 46;
const CELL: usize = 19;

/// Everything that was measured.
pub struct Report {
    json: Map<String, Value>,
    section: String,
}

impl Report {
    /// An empty one.
    pub fn new() -> Self {
        Self { json: Map::new(), section: String::new() }
    }

    /// A line of text.
    pub fn note(&self, text: &str) {
        println!("{text}");
    }

    /// A value that is only in the JSON.
    pub fn set(&mut self, name: &str, value: Value) {
        self.json.insert(name.to_owned(), value);
    }

    /// Begins a section; its name is its key in the JSON.
    pub fn section(&mut self, name: &str, title: &str) {
        println!("\n{name}: {title}");
        self.section = name.to_owned();
        self.set(name, json!([]));
    }

    /// Begins a row, which is printed when it is dropped.
    pub fn row(&mut self, label: &str) -> Row<'_> {
        let mut fields = Map::new();
        fields.insert("row".to_owned(), label.into());
        Row { report: self, label: label.to_owned(), cells: Vec::new(), fields }
    }

    /// Writes `target/bench.json`.
    pub fn save(&self) {
        let target = Path::new(crate::host::ROOT).parent().unwrap();
        let path = target.join("bench.json");
        let text = serde_json::to_string_pretty(&self.json).unwrap();
        std::fs::write(&path, text + "\n").unwrap();
        println!("\nwritten to {}", path.display());
    }
}

/// One row.
pub struct Row<'a> {
    report: &'a mut Report,
    label: String,
    cells: Vec<String>,
    fields: Map<String, Value>,
}

impl Row<'_> {
    /// A number with the digits behind its point. The unit belongs to the name in the JSON (`cpu_ms`), so it is given
    /// twice: once as that name, once as a person reads it.
    pub fn number(mut self, key: &str, value: f64, digits: usize, unit: &str) -> Self {
        self.cells.push(format!("{value:.digits$} {unit}"));
        self.fields.insert(key.to_owned(), json!((value * 1e4).round() / 1e4));
        self
    }

    /// Three percentiles of a sample, in milliseconds; the prefix keeps two samples of one row apart.
    pub fn times(self, prefix: &str, sample: &Sample) -> Self {
        let name = if prefix.is_empty() { String::new() } else { format!("{prefix}_") };
        let mut row = self;
        for percent in [10, 50, 99] {
            let unit = format!("ms {prefix} p{percent}").replace("  ", " ");
            row = row.number(&format!("{name}p{percent}_ms"), sample.percentile_ms(percent), 2, &unit);
        }
        row.fields.insert(format!("{name}n"), sample.len().into());
        row
    }

    /// The host's own time beside the disk's floor, and what is left of it after so many syncs.
    pub fn own(self, sample: &Sample, floor: &Sample, syncs: u32) -> Self {
        let sync = floor.percentile_ms(50);
        let left = sample.percentile_ms(50) - f64::from(syncs) * sync;
        self.times("", sample)
            .number("fdatasync_p10_ms", floor.percentile_ms(10), 2, "ms sync p10")
            .number("fdatasync_p50_ms", sync, 2, "ms sync p50")
            .number("p50_without_syncs_ms", left, 2, &format!("ms p50-{syncs} syncs"))
    }
}

impl Drop for Row<'_> {
    fn drop(&mut self) {
        let cells: String = self.cells.iter().map(|cell| format!("  {cell:<CELL$}")).collect();
        println!("  {:<LABEL$}{}", self.label, cells.trim_end());
        let rows = self.report.json.get_mut(&self.report.section).and_then(Value::as_array_mut);
        if let Some(rows) = rows {
            rows.push(Value::Object(std::mem::take(&mut self.fields)));
        }
    }
}
